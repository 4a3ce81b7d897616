"""The counters that tournaments and their entrants keep of stored matches."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator

from sqlalchemy import Connection, bindparam, update

from arena.store.outcomes import Outcome
from arena.store.tables import entrants, tournaments

COUNTERS = ("matches", "wins", "shared", "points", "opponents", "halves", "faults", "forfeits")


def count(conn: Connection, tournament: int, fresh: Collection[Outcome], cursor: int) -> None:
    """Adds the new matches to the tournament's and its entrants' counters."""
    conn.execute(
        update(tournaments)
        .where(tournaments.c.id == tournament)
        .values(played=tournaments.c.played + len(fresh), rated=cursor)
    )
    sums: dict[int, Counter[str]] = defaultdict(Counter)
    for outcome in fresh:
        for player, line in _lines(outcome):
            sums[player].update(line)
    columns = [column for column in entrants.c if column.name in COUNTERS]
    conn.execute(
        update(entrants)
        .where(entrants.c.tournament == tournament, entrants.c.player == bindparam("key"))
        .values({column: column + bindparam(f"add_{column.name}") for column in columns}),
        [
            {"key": player, **{f"add_{name}": counts[name] for name in COUNTERS}}
            for player, counts in sums.items()
        ],
    )


def _lines(outcome: Outcome) -> Iterator[tuple[int, dict[str, int]]]:
    """What a match adds to the counters of each of its players."""
    won, halves = outcome.won, outcome.halves
    for seat, player in enumerate(outcome.players):
        yield (
            player,
            {
                "matches": 1,
                "wins": int(won[seat]),
                "shared": int(won[seat] and outcome.shared),
                "points": outcome.points[seat],
                "opponents": len(outcome.players) - 1,
                "halves": halves[seat],
                "faults": outcome.faults[seat],
                "forfeits": int(outcome.forfeited[seat]),
            },
        )

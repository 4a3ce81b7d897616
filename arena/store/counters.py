"""The counters that tournaments and their entrants keep of stored matches."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Connection, bindparam, update

from arena.rating.elo import score
from arena.store.tables import entrants, tournaments

if TYPE_CHECKING:
    from arena.store.results import MatchResult

COUNTERS = ("matches", "wins", "shared", "points", "opponents", "halves", "faults", "forfeits")


def count(conn: Connection, tournament: int, fresh: Sequence[MatchResult], cursor: int) -> None:
    """Adds the new matches to the tournament's and its entrants' counters."""
    conn.execute(
        update(tournaments)
        .where(tournaments.c.id == tournament)
        .values(played=tournaments.c.played + len(fresh), rated=cursor)
    )
    sums: dict[int, Counter[str]] = defaultdict(Counter)
    for result in fresh:
        for seat, player in enumerate(result.players):
            sums[player].update(_line(result, seat))
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


def _line(result: MatchResult, seat: int) -> dict[str, int]:
    """What one seat of one match adds to its entrant's counters."""
    places = list(zip(result.forfeited, result.points, strict=True))
    # Where everybody forfeited the best rank is no victory.
    won = result.ranks[seat] == 1 and not result.forfeited[seat]
    return {
        "matches": 1,
        "wins": int(won),
        "shared": int(won and result.ranks.count(1) > 1),
        "points": result.points[seat],
        "opponents": len(places) - 1,
        # A bot ties with itself, which is not counted.
        "halves": int(2 * sum(score(places[seat], other) for other in places)) - 1,
        "faults": result.faults[seat],
        "forfeits": int(result.forfeited[seat]),
    }

"""The counters that tournaments and their entrants keep of stored matches."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator

from sqlalchemy import Connection, bindparam, select, update

from arena.store.matches import outcomes
from arena.store.matches.outcomes import MatchOutcome
from arena.store.projections.projection import Change
from arena.store.tables import COUNTERS, entrants, tournaments


class CountersProjection:
    """Of a tournament, how many matches are stored and rated; of its entrants, how they did."""

    name = "counters"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        """Adds the new matches."""
        row = tournaments.c
        conn.execute(
            update(tournaments)
            .where(row.id == change.tournament)
            .values(played=row.played + len(change.results), rated=change.cursor)
        )
        _add(conn, change.tournament, [result.outcome for result in change.results.values()])

    def rebuild(self, conn: Connection, game: str) -> None:
        """Counts the stored matches of every tournament of a game again."""
        for tournament, results in outcomes.by_tournament(conn, game):
            row = entrants.c.tournament == tournament
            conn.execute(update(entrants).where(row).values(dict.fromkeys(COUNTERS, 0)))
            played = {"played": len(results)}
            conn.execute(update(tournaments).where(tournaments.c.id == tournament).values(**played))
            _add(conn, tournament, results)

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """Which tournaments have other counters than their matches give."""
        for tournament, results in outcomes.by_tournament(conn, game):
            played = conn.scalar(select(tournaments.c.played).where(tournaments.c.id == tournament))
            if played != len(results) or _stored_counters(conn, tournament) != _sums(results):
                yield f"the counters of tournament {tournament} differ"


def _add(conn: Connection, tournament: int, fresh: Collection[MatchOutcome]) -> None:
    """Adds matches to the counters of the entrants."""
    sums = _sums(fresh)
    if not sums:
        return
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


def _sums(matches: Iterable[MatchOutcome]) -> dict[int, Counter[str]]:
    """By player, what some matches add to each counter."""
    sums: dict[int, Counter[str]] = defaultdict(Counter)
    for outcome in matches:
        for player, line in _lines(outcome):
            sums[player].update(line)
    return sums


def _stored_counters(conn: Connection, tournament: int) -> dict[int, Counter[str]]:
    """The counters of those entrants who have played."""
    columns = [entrants.c[name] for name in COUNTERS]
    rows = conn.execute(
        select(entrants.c.player, *columns).where(entrants.c.tournament == tournament)
    )
    lines = {player: Counter(dict(zip(COUNTERS, line, strict=True))) for player, *line in rows}
    return {player: line for player, line in lines.items() if line["matches"]}


def played(conn: Connection, tournament: int) -> dict[int, int]:
    """By player, how many of its matches in a tournament are stored."""
    row = entrants.c
    query = select(row.player, row.matches).where(row.tournament == tournament)
    return dict(conn.execute(query).all())


def _lines(outcome: MatchOutcome) -> Iterator[tuple[int, dict[str, int]]]:
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

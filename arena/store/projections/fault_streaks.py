"""How many matches in a row a player has lost by its own faults, up to its newest one.

The order is that of storing. `arena.store.tournaments.bench` says what follows from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sqlalchemy import Connection, delete, select

from arena.store.matches import outcomes
from arena.store.matches.outcomes import MatchOutcome
from arena.store.projections.projection import Change
from arena.store.tables import fault_streaks
from arena.store.upsert import upsert

Streaks = dict[int, tuple[int, float]]  # by player: matches, and when the newest of them ended
NONE = (0, 0.0)


class FaultStreaksProjection:
    """By player, the rated matches in a row that it forfeited."""

    name = "fault_streaks"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        """Carries the streaks of those who played on."""
        results = [change.results[place].outcome for place in sorted(change.results)]
        players = {player for outcome in results for player in outcome.players}
        row = fault_streaks.c
        query = select(row.player, row.matches, row.last)
        query = query.where(row.game == change.game, row.player.in_(players))
        before = {player: (matches, last) for player, matches, last in conn.execute(query)}
        _store(conn, change.game, continued(before, results))

    def rebuild(self, conn: Connection, game: str) -> None:
        """Counts them again from all matches."""
        conn.execute(delete(fault_streaks).where(fault_streaks.c.game == game))
        _store(conn, game, continued({}, outcomes.of_game(conn, game)))

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """Of how many players the streaks differ."""
        row = fault_streaks.c
        rows = conn.execute(select(row.player, row.matches, row.last).where(row.game == game))
        actual = {player: (matches, last) for player, matches, last in rows}
        expected = continued({}, outcomes.of_game(conn, game))
        wrong = sum(expected.get(key) != actual.get(key) for key in expected.keys() | actual.keys())
        if wrong:
            yield f"the fault streaks of {wrong:,} players differ"


def continued(before: Mapping[int, tuple[int, float]], results: Iterable[MatchOutcome]) -> Streaks:
    """The streaks after some matches, in their order."""
    streaks = dict(before)
    for outcome in results:
        for player, forfeited in zip(outcome.players, outcome.forfeited, strict=True):
            matches, _ = streaks.get(player, NONE)
            streaks[player] = (matches + 1, outcome.finished) if forfeited else NONE
    return streaks


def _store(conn: Connection, game: str, streaks: Streaks) -> None:
    rows = [
        {"game": game, "player": player, "matches": matches, "last": last}
        for player, (matches, last) in streaks.items()
    ]
    if rows:
        conn.execute(upsert(conn, fault_streaks), rows)

"""How many matches in a row a player has lost by its own faults, up to its newest one.

The order is that of storing. `arena.store.tournaments.bench` says what follows from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from sqlalchemy import Connection, delete, select

from arena.store.bulk import write_rows
from arena.store.matches.columns import MatchColumns
from arena.store.matches.read_columns import rated_of_game
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
        players = set(change.columns.players.tolist())
        row = fault_streaks.c
        query = select(row.player, row.matches, row.last)
        query = query.where(row.game == change.game, row.player.in_(players))
        before = {player: (matches, last) for player, matches, last in conn.execute(query)}
        _store(conn, change.game, continued(before, change.columns))

    def rebuild(self, conn: Connection, game: str) -> None:
        """Counts them again from all matches."""
        conn.execute(delete(fault_streaks).where(fault_streaks.c.game == game))
        _store(conn, game, continued({}, rated_of_game(conn, game)))

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """Of how many players the streaks differ."""
        row = fault_streaks.c
        rows = conn.execute(select(row.player, row.matches, row.last).where(row.game == game))
        actual = {player: (matches, last) for player, matches, last in rows}
        expected = continued({}, rated_of_game(conn, game))
        wrong = sum(expected.get(key) != actual.get(key) for key in expected.keys() | actual.keys())
        if wrong:
            yield f"the fault streaks of {wrong:,} players differ"


def continued(before: Mapping[int, tuple[int, float]], found: MatchColumns) -> Streaks:
    """The streaks after some matches, in their order."""
    players, player = np.unique(found.players, return_inverse=True)
    row = np.arange(len(player))
    stayed, left = (np.full(len(players), -1) for _ in range(2))  # the newest row of a player
    np.maximum.at(stayed, player, np.where(found.forfeited, -1, row))
    np.maximum.at(left, player, np.where(found.forfeited, row, -1))
    more = np.bincount(player, weights=row > stayed[player], minlength=len(players))
    streaks = dict(before)
    for index, key in enumerate(players.tolist()):
        matches = int(more[index]) + (streaks.get(key, NONE)[0] if stayed[index] < 0 else 0)
        ended = found.finished[found.match[left[index]]].item()
        streaks[key] = (matches, ended) if more[index] else NONE
    return streaks


def _store(conn: Connection, game: str, streaks: Streaks) -> None:
    rows = [(game, player, *streak) for player, streak in streaks.items()]
    write_rows(conn, upsert(conn, fault_streaks), ("game", "player", "matches", "last"), rows)

"""The current streak of rated matches that a player has forfeited by its own faults.

Matches are in the order of storing. `arena.store.tournaments.bench` uses the streaks.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from sqlalchemy import Connection, delete, select

from arena.store.dialects import upsert, write_rows
from arena.store.matches.columns import MatchColumns
from arena.store.matches.read_columns import rated_of_game
from arena.store.projections.projection import Change, differing
from arena.store.tables import fault_streaks

Streaks = dict[int, tuple[int, float]]  # by player: matches, and the end of the newest of them
NONE = (0, 0.0)


class FaultStreaksProjection:
    """By player, the number of rated matches in a row that it forfeited."""

    name = "fault_streaks"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        """Continues the streaks of the players of the new matches."""
        players = set(change.columns.players.tolist())
        row = fault_streaks.c
        query = select(row.player, row.matches, row.last)
        query = query.where(row.game == change.game, row.player.in_(players))
        before = {player: (matches, last) for player, matches, last in conn.execute(query)}
        _store(conn, change.game, continued(before, change.columns))

    def rebuild(self, conn: Connection, game: str) -> None:
        conn.execute(delete(fault_streaks).where(fault_streaks.c.game == game))
        _store(conn, game, continued({}, rated_of_game(conn, game)))

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        row = fault_streaks.c
        rows = conn.execute(select(row.player, row.matches, row.last).where(row.game == game))
        actual = {player: (matches, last) for player, matches, last in rows}
        if wrong := differing(continued({}, rated_of_game(conn, game)), actual):
            yield f"the fault streaks of {wrong:,} players differ"


def continued(before: Mapping[int, tuple[int, float]], found: MatchColumns) -> Streaks:
    """The streaks after these matches, in their order."""
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

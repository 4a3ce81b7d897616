"""The ranks and ratings of bots."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection

from arena.store.reports import leaderboard
from arena.store.reports.leaderboard import Rating


class LeaderboardPlace(NamedTuple):
    """A bot's line in the leaderboard of a game over all tables, which has `of` lines."""

    game: str
    of: int
    line: Rating


def standings_of(conn: Connection, players: Collection[int]) -> dict[int, list[LeaderboardPlace]]:
    """Return the lines in all leaderboards by player, best rank first."""
    found: dict[int, list[LeaderboardPlace]] = {player: [] for player in players}
    for game in leaderboard.games(conn):
        table = leaderboard.table(conn, game)
        for line in table:
            if line.player in found:
                found[line.player].append(LeaderboardPlace(game, len(table), line))
    return {player: sorted(rows, key=_rank) for player, rows in found.items()}


def _rank(standing: LeaderboardPlace) -> int:
    return standing.line.rank

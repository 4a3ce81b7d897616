"""What the store has no query for."""

from __future__ import annotations

from sqlalchemy import Connection

from arena.store import bots, ratings
from arena.store.ratings import Rating


def places(conn: Connection, bot: str) -> list[tuple[str, int, int, Rating]]:
    """A bot's lines in all rating tables: game, seats, lines in that table, and its own.

    One that is retired has lines only in the tables of all versions, and its newest is meant.
    """
    retired = bots.get(conn, bot).retired is not None
    found = []
    for game in ratings.games(conn):
        for seats in (ratings.OVERALL, *ratings.seat_counts(conn, game)):
            table = ratings.table(conn, game, seats, all_versions=retired)
            own = [line for line in table if line.bot == bot and line.latest]
            found += [(game, seats, len(table), line) for line in own]
    return found

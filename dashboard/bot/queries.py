"""What the store has no query for."""

from __future__ import annotations

from sqlalchemy import Connection

from arena.store import ratings
from arena.store.ratings import Rating


def places(conn: Connection, bot: str) -> list[tuple[str, int, int, Rating]]:
    """A bot's lines in all overall rating tables: game, seats, lines in that table, and its own."""
    found = []
    for game in ratings.games(conn):
        for seats in (ratings.OVERALL, *ratings.seat_counts(conn, game)):
            table = ratings.table(conn, game, seats)
            found += [(game, seats, len(table), line) for line in table if line.bot == bot]
    return found

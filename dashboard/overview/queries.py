"""What the store has no query for."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from arena.store.tables import tournaments


def matches_in_all(conn: Connection) -> int:
    """The matches stored, of all tournaments."""
    return int(conn.scalar(select(func.sum(tournaments.c.played))) or 0)

"""Counts the hints given in casual games, to be shown next to the result."""

from __future__ import annotations

from sqlalchemy import Connection, select

from arena.store.dialects import insert
from arena.store.tables import hints


def count(conn: Connection, table: int) -> int:
    """Number of hints given in the casual game with this tournament number."""
    return conn.scalar(select(hints.c.given).where(hints.c.tournament == table)) or 0


def add(conn: Connection, table: int) -> int:
    """Counts another hint; returns their number."""
    made = insert(conn, hints).values(tournament=table, given=1)
    again = made.on_conflict_do_update(
        index_elements=[hints.c.tournament], set_={"given": hints.c.given + 1}
    )
    conn.execute(again)
    return count(conn, table)

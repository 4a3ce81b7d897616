"""Queries for the home page."""

from __future__ import annotations

from sqlalchemy import Connection, select

from arena.store.tables import tournaments
from arena.store.tournaments import tournaments as store
from arena.store.tournaments.tournaments import Tournament


def under_way(conn: Connection, most: int) -> list[Tournament]:
    """Return running, then waiting tournaments, each oldest first."""
    row = tournaments.c
    query = select(row.id).where(row.kind == "tournament", row.state.in_(["running", "waiting"]))
    return [
        store.get(conn, number)
        for number in conn.scalars(query.order_by(row.state, row.id).limit(most)).all()
    ]

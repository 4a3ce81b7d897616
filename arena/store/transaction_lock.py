"""Locks by number that last until the end of a transaction."""

from __future__ import annotations

from sqlalchemy import Connection, text


def lock_number(conn: Connection, number: int) -> None:
    """Waits until no other transaction holds this number, and holds it until this one ends. SQLite
    has one writer at a time anyway."""
    if conn.dialect.name == "postgresql":
        conn.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": number})

"""Looks whether it is so, while everybody reads: the next migration need not (PostgreSQL)."""

from __future__ import annotations

from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Reads the three tables once."""
    if op.get_bind().dialect.name == "sqlite":
        return
    for table in ("matches", "match_seats", "fault_notes"):
        op.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT ck_{table}_earlier")

"""Batches call what is saved of their matches in progress a checkpoint, as the code does."""

from __future__ import annotations

from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Renames the column; what is in it stays."""
    op.execute("ALTER TABLE batches RENAME COLUMN parked TO checkpoint")

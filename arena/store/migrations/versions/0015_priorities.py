"""Tournaments get a priority, and the batches that are not finished an index: sweeps look for them
once a second."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Adds both. All tournaments so far are of normal priority."""
    column = sa.Column("priority", sa.Text(), nullable=False, server_default="normal")
    op.add_column("tournaments", column)
    op.create_index(
        "ix_batches_open",
        "batches",
        ["tournament", "number"],
        sqlite_where=sa.text("NOT done"),
        postgresql_where=sa.text("NOT done"),
    )

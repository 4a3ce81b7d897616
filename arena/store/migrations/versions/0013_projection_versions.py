"""Which version each projection is at, so that an upgrade rebuilds those that count otherwise."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Makes the table. What belongs into it is written by `arena.store.migrate`."""
    op.create_table(
        "projection_versions",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_projection_versions"),
    )

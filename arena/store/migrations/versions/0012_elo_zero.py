"""Live Elo is counted from the anchor: where the zero of each rating table is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Makes columns and table. What belongs into them is counted by `arena.store.migrate`."""
    for name in ("zero", "zero_variance"):
        op.add_column("ratings", sa.Column(name, sa.Double(), nullable=False, server_default="0"))
    op.create_table(
        "elo_zeros",
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("seats", sa.SmallInteger(), nullable=False),
        sa.Column("shift", sa.Double(), nullable=False),
        sa.Column("variance", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("game", "seats", name="pk_elo_zeros"),
    )

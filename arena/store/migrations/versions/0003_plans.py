"""What formats keep of the matches played, to plan on from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "plans",
        sa.Column("tournament", KEY, nullable=False),
        sa.Column("blocks", sa.Integer(), nullable=False),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.Column("so_far", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tournament"], ["tournaments.id"], name="fk_plans_tournament"),
        sa.PrimaryKeyConstraint("tournament", name="pk_plans"),
    )

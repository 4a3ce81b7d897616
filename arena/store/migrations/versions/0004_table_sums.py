"""Sums over the deals of a tournament's tables, from which follows what rotations save."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the table.

    The sums of matches that are stored already are counted by `arena.store.migrate`.
    """
    op.create_table(
        "table_sums",
        sa.Column("tournament", KEY, nullable=False),
        sa.Column("seated", sa.LargeBinary(), nullable=False),
        sa.Column("deals", sa.BigInteger(), nullable=False),
        sa.Column("sums", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament"], ["tournaments.id"], name="fk_table_sums_tournament"
        ),
        sa.PrimaryKeyConstraint("tournament", "seated", name="pk_table_sums"),
        sqlite_with_rowid=False,
    )

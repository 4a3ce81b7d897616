"""Sums over deals, from which ratings with error bars follow."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Adds the table of sums; to each game its anchor and the number of the sums' last change;
    to ratings the time of the last match.

    What follows from matches that are stored already is counted by `arena.store.migrate`.
    """
    op.create_table(
        "deal_sums",
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("seats", sa.SmallInteger(), nullable=False),
        sa.Column("size", sa.SmallInteger(), nullable=False),
        sa.Column("composition", sa.LargeBinary(), nullable=False),
        sa.Column("deals", sa.BigInteger(), nullable=False),
        sa.Column("sums", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("game", "seats", "size", "composition", name="pk_deal_sums"),
        sqlite_with_rowid=False,
    )
    op.add_column(
        "rated_games", sa.Column("anchor", sa.Text(), nullable=False, server_default="five")
    )
    op.add_column(
        "ratings", sa.Column("last_played", sa.Double(), nullable=False, server_default="0")
    )
    op.add_column(
        "rated_games",
        sa.Column("deals_version", sa.BigInteger(), nullable=False, server_default="0"),
    )

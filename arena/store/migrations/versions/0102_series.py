"""Series of tournaments."""

import sqlalchemy as sa
from alembic import op

revision = "0102"
down_revision = "0101"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "series",
        sa.Column("id", KEY, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("begins", sa.Double, nullable=False),
        sa.Column("days", sa.Integer, nullable=False),
        sa.Column("zone", sa.Text, nullable=False),
        sa.Column("until", sa.Text, nullable=False),
        sa.Column("counted", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "series_tournaments",
        sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("series", KEY, sa.ForeignKey("series.id"), nullable=False),
        sa.Column("due", sa.Double, nullable=False),
    )
    op.create_index("ix_series_tournaments_series", "series_tournaments", ["series"])

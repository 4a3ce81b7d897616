"""The discussion of tournaments."""

import sqlalchemy as sa
from alembic import op

revision = "0103"
down_revision = "0102"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Creates the table."""
    op.create_table(
        "posts",
        sa.Column("id", KEY, primary_key=True),
        sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), nullable=False),
        sa.Column("account", KEY, sa.ForeignKey("accounts.id"), nullable=False),
        sa.Column("time", sa.Double, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("announcement", sa.Boolean, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_posts_tournament_id", "posts", ["tournament", "id"])
    op.create_index("ix_posts_account_time", "posts", ["account", "time"])

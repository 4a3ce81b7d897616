"""Puzzles."""

import sqlalchemy as sa
from alembic import op

revision = "0105"
down_revision = "0104"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "puzzles",
        sa.Column("id", KEY, primary_key=True),
        sa.Column("match", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("seat", sa.SmallInteger, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), nullable=False),
        sa.Column("alternatives", sa.Text, nullable=False),
        sa.Column("rating", sa.Double, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("solved", sa.Integer, nullable=False),
        sa.UniqueConstraint("match", "number", name="uq_puzzles_match_number"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_puzzles_game_rating", "puzzles", ["game", "rating"])
    op.create_table(
        "puzzle_attempts",
        sa.Column("account", KEY, sa.ForeignKey("accounts.id"), primary_key=True),
        sa.Column("puzzle", KEY, sa.ForeignKey("puzzles.id"), primary_key=True),
        sa.Column("time", sa.Double, nullable=False),
        sa.Column("hinted", sa.Boolean, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("solved", sa.Boolean, nullable=False),
        sa.Column("change", sa.Double),
    )
    op.create_table(
        "puzzle_ratings",
        sa.Column("account", KEY, sa.ForeignKey("accounts.id"), primary_key=True),
        sa.Column("game", sa.Text, primary_key=True),
        sa.Column("rating", sa.Double, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("solved", sa.Integer, nullable=False),
    )
    op.create_index("ix_puzzle_ratings_game_rating", "puzzle_ratings", ["game", "rating"])

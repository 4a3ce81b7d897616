"""Streaks of forfeited matches, and when their owners let benched bots play again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the tables. The streaks are counted by `arena.store.migrate`."""
    op.create_table(
        "fault_streaks",
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("player", KEY, nullable=False),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.Column("last", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_fault_streaks_player_players"),
        sa.PrimaryKeyConstraint("game", "player", name="pk_fault_streaks"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_fault_streaks_player", "fault_streaks", ["player"])
    op.create_table(
        "bench_returns",
        sa.Column("player", KEY, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_bench_returns_player_players"),
        sa.PrimaryKeyConstraint("player", name="pk_bench_returns"),
    )

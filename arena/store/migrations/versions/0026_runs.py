"""What became of the processes of hosted bots."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the table; no run is reported so far."""
    op.create_table(
        "runs",
        sa.Column("id", KEY, nullable=False),
        *(sa.Column(name, KEY, nullable=False) for name in ("bot", "player")),
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        *(sa.Column(name, sa.Double(), nullable=False) for name in ("began", "cpu_s")),
        sa.Column("memory_kb", sa.BigInteger(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("ending", "output")),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sa.ForeignKeyConstraint(["bot"], ["bots.id"], name="fk_runs_bot_bots"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_runs_player_players"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_runs_bot_id", "runs", ["bot", "id"])

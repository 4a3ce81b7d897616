"""Which hosted versions are programs in another language than Python."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Adds the column, and fills it from what was submitted."""
    op.add_column(
        "players", sa.Column("program", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    submitted = sa.table("submissions", sa.column("player", KEY), sa.column("manifest"))
    rows = op.get_bind().execute(
        sa.select(submitted.c.player, submitted.c.manifest).where(
            submitted.c.player.is_not(None), submitted.c.manifest != ""
        )
    )
    programs = [player for player, text in rows if json.loads(text)["language"] != "python"]
    players = sa.table("players", sa.column("id", KEY), sa.column("program"))
    for player in programs:
        change = sa.update(players).where(players.c.id == player)
        op.get_bind().execute(change.values(program=True))

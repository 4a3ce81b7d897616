"""Bots' notes about their decisions."""

import sqlalchemy as sa
from alembic import op

revision = "0106"
down_revision = "0105"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Creates the table. Notes are private until the author of the bot publishes them."""
    op.add_column(
        "bots", sa.Column("notes_public", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.create_table(
        "bot_notes",
        sa.Column("id", KEY, primary_key=True),
        sa.Column("match", sa.Text, nullable=False),
        sa.Column("seat", sa.SmallInteger, nullable=False),
        sa.Column("bot", KEY, sa.ForeignKey("bots.id"), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("notes", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("match", "seat", name="uq_bot_notes_match_seat"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_bot_notes_bot_id", "bot_notes", ["bot", "id"])

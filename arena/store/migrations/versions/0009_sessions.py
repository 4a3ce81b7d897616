"""Sessions of the dashboard as records, so that they can be ended; tokens not shown yet."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes both tables. Cookies of earlier releases name no session: people sign in again."""
    op.create_table(
        "sessions",
        sa.Column("id", KEY, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("account", KEY, nullable=False),
        sa.Column("browser", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.UniqueConstraint("digest", name="uq_sessions_digest"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_sessions_account"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_sessions_account", "sessions", ["account"])
    op.create_index("ix_sessions_expires", "sessions", ["expires"])
    op.create_table(
        "unread_tokens",
        sa.Column("session", KEY, nullable=False),
        sa.Column("bot", KEY, nullable=False),
        sa.Column("masked", sa.LargeBinary(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("session", "bot", name="pk_unread_tokens"),
        sa.ForeignKeyConstraint(
            ["session"], ["sessions.id"], name="fk_unread_tokens_session", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["bot"], ["bots.id"], name="fk_unread_tokens_bot"),
    )

"""The hosts that play hosted bots, and which versions are hosted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the table; no version is hosted so far."""
    op.add_column(
        "players", sa.Column("hosted", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.create_table(
        "hosts",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("token_digest", sa.LargeBinary(), nullable=False),
        *(sa.Column(name, sa.Double(), nullable=False) for name in ("started", "seen")),
        sa.PrimaryKeyConstraint("id", name="pk_hosts"),
        sa.UniqueConstraint("token_digest", name="uq_hosts_token_digest"),
        sqlite_autoincrement=True,
    )

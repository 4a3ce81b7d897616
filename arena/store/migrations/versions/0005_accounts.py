"""Accounts, whose bots and tournaments are; bots that are retired; tournaments that do not rate."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the table; bots and tournaments that are there have no owner."""
    op.create_table(
        "accounts",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("organiser", sa.Boolean(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.UniqueConstraint("name_key", name="uq_accounts_name_key"),
        sqlite_autoincrement=True,
    )
    op.add_column("bots", sa.Column("retired", sa.Double()))
    _add_kind("bots", "bot")
    _add_owner("bots")
    _add_kind("tournaments", "tournament")
    _add_owner("tournaments")
    op.create_index("ix_bots_owner", "bots", ["owner"])
    op.create_index("ix_tournaments_kind_id", "tournaments", ["kind", "id"])


def _add_owner(table: str) -> None:
    # In the column itself: SQLite cannot add a constraint to a table that is there.
    owner = sa.ForeignKey("accounts.id", name=f"fk_{table}_owner")
    op.add_column(table, sa.Column("owner", KEY, owner), inline_references=True)


def _add_kind(table: str, usual: str) -> None:
    op.add_column(table, sa.Column("kind", sa.Text(), nullable=False, server_default=usual))

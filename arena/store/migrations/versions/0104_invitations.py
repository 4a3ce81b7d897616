"""Invitations to sign up."""

import sqlalchemy as sa
from alembic import op

revision = "0104"
down_revision = "0103"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "invitations",
        sa.Column("id", KEY, primary_key=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("places", sa.Integer, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("expires", sa.Double, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "invited",
        sa.Column("account", KEY, sa.ForeignKey("accounts.id"), primary_key=True),
        sa.Column("invitation", KEY, sa.ForeignKey("invitations.id"), nullable=False),
    )
    op.create_index("ix_invited_invitation", "invited", ["invitation"])

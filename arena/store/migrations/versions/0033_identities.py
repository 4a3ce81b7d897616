"""Sign-ins at other providers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the table; everybody signs in by password so far."""
    op.create_table(
        "identities",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("provider", "subject")),
        sa.Column("account", KEY, nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("provider", "subject", name="pk_identities"),
        sa.ForeignKeyConstraint(
            ["account"], ["accounts.id"], name="fk_identities_account_accounts"
        ),
    )
    op.create_index("ix_identities_account", "identities", ["account"])

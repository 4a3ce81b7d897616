"""What authors say of their bots and of themselves."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the tables; nobody has said anything so far."""
    op.create_table(
        "bot_profiles",
        sa.Column("bot", KEY, nullable=False),
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("description", "link", "language")
        ),
        sa.PrimaryKeyConstraint("bot", name="pk_bot_profiles"),
        sa.ForeignKeyConstraint(["bot"], ["bots.id"], name="fk_bot_profiles_bot_bots"),
    )
    op.create_table(
        "author_profiles",
        sa.Column("account", KEY, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("about", "link")),
        sa.PrimaryKeyConstraint("account", name="pk_author_profiles"),
        sa.ForeignKeyConstraint(
            ["account"], ["accounts.id"], name="fk_author_profiles_account_accounts"
        ),
    )

"""Webhooks, and what is to be sent to them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the tables; nobody has a webhook so far."""
    op.create_table(
        "webhooks",
        sa.Column("id", KEY, nullable=False),
        sa.Column("account", KEY, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        *(
            sa.Column(name, sa.Boolean(), nullable=False)
            for name in ("shown", "finished", "offline")
        ),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("failing_since", sa.Double()),
        sa.Column("given_up", sa.Integer(), nullable=False),
        sa.Column("busy_until", sa.Double()),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_webhooks_account_accounts"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_webhooks_account", "webhooks", ["account"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", KEY, nullable=False),
        sa.Column("webhook", KEY, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("event", "kind", "about")),
        sa.Column("body", sa.Text()),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("due", sa.Double()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Double()) for name in ("tried", "seconds")),
        sa.Column("status", sa.Integer()),
        sa.Column("error", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_deliveries"),
        sa.ForeignKeyConstraint(
            ["webhook"], ["webhooks.id"], name="fk_webhook_deliveries_webhook_webhooks"
        ),
        sqlite_autoincrement=True,
    )
    for column in ("webhook", "due"):
        op.create_index(f"ix_webhook_deliveries_{column}", "webhook_deliveries", [column])

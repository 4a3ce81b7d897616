"""E-mail: addresses, links that work once, what is to be sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the tables; nobody has given an address so far."""
    op.create_table(
        "emails",
        sa.Column("account", KEY, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("address", "address_key")),
        sa.Column("confirmed", sa.Double(), nullable=False),
        *(sa.Column(name, sa.Boolean(), nullable=False) for name in ("finished", "offline")),
        sa.PrimaryKeyConstraint("account", name="pk_emails"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_emails_account_accounts"),
    )
    op.create_index("ix_emails_address_key", "emails", ["address_key"])
    op.create_table(
        "mail_links",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("account", KEY, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("kind", "address_key")),
        sa.Column("address", sa.Text(), nullable=False),
        *(sa.Column(name, sa.Double(), nullable=False) for name in ("created", "expires")),
        sa.PrimaryKeyConstraint("digest", name="pk_mail_links"),
        sa.ForeignKeyConstraint(
            ["account"], ["accounts.id"], name="fk_mail_links_account_accounts"
        ),
    )
    for column in ("account", "address_key"):
        op.create_index(f"ix_mail_links_{column}", "mail_links", [column])
    op.create_table(
        "mails",
        sa.Column("id", KEY, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("account", KEY),
        sa.Column("about", sa.Text(), nullable=False),
        *(sa.Column(name, sa.Double(), nullable=False) for name in ("created", "due")),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_mails"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_mails_account_accounts"),
        sqlite_autoincrement=True,
    )
    for column in ("account", "due"):
        op.create_index(f"ix_mails_{column}", "mails", [column])
    op.create_table(
        "absences",
        sa.Column("bot", KEY, nullable=False),
        *(sa.Column(name, sa.Double()) for name in ("since", "told")),
        sa.PrimaryKeyConstraint("bot", name="pk_absences"),
        sa.ForeignKeyConstraint(["bot"], ["bots.id"], name="fk_absences_bot_bots"),
    )

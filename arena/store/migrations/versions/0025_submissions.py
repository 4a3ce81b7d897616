"""What authors upload to have a bot hosted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
REFERENCES = {"bot": "bots", "player": "players", "files_of": "submissions", "account": "accounts"}
UNFINISHED = sa.text("state IN ('waiting', 'building', 'validating')")


def upgrade() -> None:
    """Makes the tables; nothing was submitted so far."""
    op.create_table(
        "submissions",
        sa.Column("id", KEY, nullable=False),
        sa.Column("bot", KEY, nullable=False),
        *(sa.Column(name, KEY) for name in ("player", "files_of", "account")),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.Double()),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.LargeBinary(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("manifest", "reason", "log")),
        *(sa.Column(name, sa.LargeBinary(), nullable=False) for name in ("hello", "key")),
        sa.PrimaryKeyConstraint("id", name="pk_submissions"),
        sa.UniqueConstraint("player", name="uq_submissions_player"),
        *(
            sa.ForeignKeyConstraint([name], [f"{table}.id"], name=f"fk_submissions_{name}_{table}")
            for name, table in REFERENCES.items()
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_submissions_bot_id", "submissions", ["bot", "id"])
    op.create_index(
        "ix_submissions_unfinished",
        "submissions",
        ["id"],
        sqlite_where=UNFINISHED,
        postgresql_where=UNFINISHED,
    )
    op.create_table(
        "submission_files",
        sa.Column("submission", KEY, nullable=False),
        sa.Column("source", sa.LargeBinary(), nullable=False),
        sa.Column("tree", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("submission", name="pk_submission_files"),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name="fk_submission_files_submission_submissions"
        ),
    )

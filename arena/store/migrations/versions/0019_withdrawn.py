"""Entrants who are withdrawn because they are not there, and their matches that are cancelled."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes column and table; nobody was withdrawn so far."""
    op.add_column("entrants", sa.Column("withdrawn", sa.Double()))
    op.create_table(
        "cancelled_matches",
        sa.Column("tournament", KEY, nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament"], ["tournaments.id"], name="fk_cancelled_matches_tournament_tournaments"
        ),
        sa.PrimaryKeyConstraint("tournament", "position", name="pk_cancelled_matches"),
        sqlite_with_rowid=False,
    )

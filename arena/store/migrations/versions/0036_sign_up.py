"""How many bots may enter tournaments that are open for sign-up."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    """Adds it. No tournament so far is open."""
    for column in ("max_bots", "bots_per_author"):
        op.add_column("tournaments", sa.Column(column, sa.Integer()))

"""When tournaments are to begin."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    """Adds it. All tournaments so far begin as soon as their bots are connected."""
    op.add_column("tournaments", sa.Column("starts_at", sa.Double()))

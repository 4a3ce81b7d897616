"""The wall time for which processes of hosted bots held decisions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    """Adds it. It is not known for older runs."""
    op.add_column("runs", sa.Column("wall_s", sa.Double()))

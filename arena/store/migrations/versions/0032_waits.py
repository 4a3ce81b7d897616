"""How long tournaments waited for a worker, and how long they were stopped."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    """Adds the columns; of tournaments so far nobody knows."""
    for name in ("queued_s", "stopped_s"):
        op.add_column(
            "tournaments", sa.Column(name, sa.Double(), nullable=False, server_default="0")
        )

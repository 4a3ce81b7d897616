"""Which bots were left out of tournaments when their sign-up closed, and why."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    """Adds it. Of tournaments that began before nobody knows it."""
    op.add_column("tournaments", sa.Column("left_out", sa.Text()))

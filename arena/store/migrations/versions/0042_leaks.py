"""Where a seat of a reviewed match lost score, by situation."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    """Adds it. It is not known of older reviews."""
    op.add_column(
        "review_seats", sa.Column("leaks", sa.Text(), nullable=False, server_default="[]")
    )

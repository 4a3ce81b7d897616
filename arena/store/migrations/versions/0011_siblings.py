"""How entrants did at tables with siblings.

Tournaments that are there do not know whose their bots were when they entered: nothing is counted
of them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Adds the columns."""
    for name in ("sibling_matches", "sibling_opponents", "sibling_halves"):
        op.add_column(
            "entrants", sa.Column(name, sa.BigInteger(), nullable=False, server_default="0")
        )

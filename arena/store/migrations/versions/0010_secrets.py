"""What a tournament's cards follow from: a secret, and the commitment to it.

Tournaments that are there have none: they go on with what follows from their seed.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Adds the columns."""
    op.add_column("tournaments", sa.Column("secret", sa.LargeBinary(), nullable=True))
    op.add_column("tournaments", sa.Column("commitment", sa.LargeBinary(), nullable=True))

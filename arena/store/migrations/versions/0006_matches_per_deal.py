"""How many matches make a deal of a tournament whole, which had been as many as it has seats."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Adds the column; what was planned before was planned in rotations."""
    column = sa.Column("matches_per_deal", sa.SmallInteger(), nullable=False, server_default="0")
    op.add_column("tournaments", column)
    conn = op.get_bind()
    tournaments = sa.table(
        "tournaments", sa.column("id"), sa.column("spec"), sa.column("matches_per_deal")
    )
    for key, spec in conn.execute(sa.select(tournaments.c.id, tournaments.c.spec)).all():
        row = sa.update(tournaments).where(tournaments.c.id == key)
        conn.execute(row.values(matches_per_deal=json.loads(spec)["seats"]))

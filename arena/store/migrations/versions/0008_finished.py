"""An index by which it is counted how many matches of a tournament ended a moment ago."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Adds it."""
    op.create_index("ix_matches_tournament_finished", "matches", ["tournament", "finished"])

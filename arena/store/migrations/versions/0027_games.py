"""An index of the matches of each game, the newest of which are listed."""

from __future__ import annotations

from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Adds it, which takes some seconds for a million matches."""
    op.create_index("ix_matches_game_number", "matches", ["game", "number"])

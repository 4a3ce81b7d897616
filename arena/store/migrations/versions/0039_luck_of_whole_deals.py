"""The luck of a bot counts the matches of whole deals only: the upgrade adds it up again."""

from __future__ import annotations

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    """Changes no table: the new version of the projection `player_luck` is what counts."""

"""How the arena of this dashboard is at this moment."""

from __future__ import annotations

from arena.health.state import ArenaState, arena_state
from dashboard.sources import sources


def current_state(now: float) -> ArenaState:
    """The state at `now` (Unix seconds). To be called without a connection to the database."""
    here = sources()
    return arena_state(here.store, here.reader, here.probe.look(), now)

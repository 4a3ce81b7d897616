"""The health of the arena."""

from __future__ import annotations

from arena.base import instant
from arena.base.errors import Unavailable
from arena.service.health import sentences
from arena.service.health.state import ArenaState, arena_state
from dashboard.sources import sources


def current_state(*, bounded: bool = True) -> ArenaState:
    """Return the current state. Call it without holding a database connection."""
    here, now = sources(), instant.now()
    probe = here.probe.look
    return arena_state(here.store, here.reader, probe, now, here.settings, bounded=bounded)


def problems(arena: ArenaState) -> list[str]:
    """Return sentences about all problems. Only organisers see hosts, users and processes."""
    return sentences.problems(arena.wrong, public=not is_organiser(arena))


def is_organiser(arena: ArenaState) -> bool:
    """Whether the visitor is known to be an organiser."""
    if arena.health.database == "away":  # the account cannot be loaded
        return False
    try:
        return sources().actor() is not None
    except Unavailable:
        return False

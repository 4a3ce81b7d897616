"""The health of this dashboard's arena, for whoever asks."""

from __future__ import annotations

from arena.base import instant
from arena.base.errors import Unavailable
from arena.service.health import sentences
from arena.service.health.state import ArenaState, arena_state
from dashboard.sources import sources


def current_state(*, bounded: bool = True) -> ArenaState:
    """The state now. To be called without a connection to the database."""
    here, now = sources(), instant.now()
    probe = here.probe.look
    return arena_state(here.store, here.reader, probe, now, here.settings, bounded=bounded)


def problems(arena: ArenaState) -> list[str]:
    """What is wrong, in sentences. Only organisers see hosts, users and processes."""
    return sentences.problems(arena.wrong, public=not _is_organiser(arena))


def _is_organiser(arena: ArenaState) -> bool:
    if arena.health.database == "away":  # which cannot be asked who is signed in
        return False
    try:
        return sources().actor() is not None
    except Unavailable:
        return False

"""How the arena is at this moment, gathered from the database and from Redis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.store.registry import bots
from arena.store.registry.bots import Bot
from arena.store.tournaments import tournaments
from dashboard.sources import Live, sources
from dashboard.system.health.facts import Health, health


@dataclass(frozen=True)
class ArenaState:
    """How the arena is, who is connected, and its bots."""

    health: Health
    troubled: dict[int, str]  # tournaments that cannot go on, and why
    live: Live
    bots: Sequence[Bot]


def arena_state(now: float) -> ArenaState:
    """The state at `now` (Unix seconds). To be called without a connection to the database: Redis
    may take its time, and none is held meanwhile."""
    database = sources().probe.look()
    with sources().read() as conn:
        registered = bots.all_bots(conn)
        numbers = list(tournaments.under_way(conn))
    live = sources().live([bot.player for bot in registered])
    vitals = sources().vitals()
    troubled = sources().incidents(numbers)
    with sources().read() as conn:
        facts = health(conn, vitals, live, len(registered), now, database)
    return ArenaState(facts, troubled, live, registered)

"""How the arena is at this moment, gathered from the database and from Redis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.health.facts import Health, health
from arena.health.words import problems
from arena.live.reader import Live, LiveReader
from arena.store.engine import Connections
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import hosted, tournaments
from arena.store.writable import Verdict


@dataclass(frozen=True)
class ArenaState:
    """How the arena is, what is wrong in sentences, who is connected, and its bots."""

    health: Health
    problems: Sequence[str]
    live: Live
    bots: Sequence[RegisteredBot]


def arena_state(
    store: Connections, reader: LiveReader, database: Verdict, now: float
) -> ArenaState:
    """The state at `now` (Unix seconds). `database` is what was last found when something was
    stored. To be called without a connection to the database: Redis may take its time, and none
    is held meanwhile. Raises Unavailable when the database cannot be read."""
    with store.read() as conn:
        registered = bots.all_bots(conn)
        under_way = list(tournaments.under_way(conn))
        wanted = [bot.player for bot in hosted.wanted(conn)]
    live = reader.live([bot.player for bot in registered])
    vitals = reader.vitals()
    troubled = reader.incidents(under_way)
    connected = sum(each.connected for each in live.connected.values()) if live.known else None
    by_hosts = len(wanted), _connected(reader, wanted)
    with store.read() as conn:
        facts = health(conn, vitals, len(registered), connected, now, database, by_hosts)
    sentences = problems(facts, now, runs=reader.runs, troubled=troubled)
    return ArenaState(facts, tuple(sentences), live, registered)


def _connected(reader: LiveReader, wanted: Sequence[int]) -> int | None:
    """How many of these versions hosts have connected; None if nobody knows."""
    live = reader.live(wanted) if wanted else None
    if live is None or not live.known:
        return None
    return sum(each.connected for each in live.connected.values())

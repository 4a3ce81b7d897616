"""Whether the process of one role that runs here is well: what a container's health check asks.

"Here" is the machine or container of this name: its gateway and dashboard by their ports, its
worker and its host by their heartbeats. Of beat, and of the house's bots, an arena has one.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from types import MappingProxyType

import redis

from arena.bootstrap import opened
from arena.config import Settings
from arena.doctor.asking import ask_dashboard, ask_gateway
from arena.doctor.finding import Finding, fine, wrong
from arena.doctor.processes import TIMEOUT_S, examine_dashboard, examine_gateway
from arena.errors import ArenaError
from arena.live.connect import connect
from arena.live.hosting import alive_on
from arena.live.house import is_held
from arena.live.presence import present
from arena.live.vitals import vitals, workers_on
from arena.store.registry import bots
from arena.supervise.house import wanted_house_bots
from arena.supervise.machine import announcement


def examine_role(role: str, settings: Settings) -> Finding:
    """How the process of this role is; `role` is one of `ROLES`. Raises nothing."""
    try:
        return ROLES[role](settings)
    except (ArenaError, redis.RedisError) as error:
        return wrong(role, str(error), "Look at what it names.")


def _gateway(settings: Settings) -> Finding:
    url = announcement(settings).gateway
    return examine_gateway(url, ask_gateway(url, settings.tls_ca))


def _dashboard(settings: Settings) -> Finding:
    url = announcement(settings).dashboard
    return examine_dashboard(url, ask_dashboard(url))


def _worker(settings: Settings) -> Finding:
    host = socket.gethostname()
    with _connected(settings) as client:
        here = workers_on(client, host)
    if not here:
        return wrong("worker", f"None on {host} has a heartbeat.", "Look at its log.")
    if hanging := sorted(name for name, hangs in here.items() if hangs):
        return wrong("worker", f"{', '.join(hanging)} hangs.", "It ends by itself; see its log.")
    return fine("worker", f"{', '.join(sorted(here))} is alive.")


def _beat(settings: Settings) -> Finding:
    with _connected(settings) as client:
        if vitals(client).sweeping:
            return fine("beat", "Tournaments were looked after a moment ago.")
    return wrong(
        "beat",
        "Nobody has looked after the tournaments for a while.",
        "Look at its log, and whether any worker runs.",
    )


def _house(settings: Settings) -> Finding:
    if not wanted_house_bots(settings):
        return fine("house", "No house bot is wanted: ARENA_HOUSE_BOTS is none.")
    ours = _house_bots(settings)
    with _connected(settings) as client:
        held, here = is_held(client), present(client, ours)
    if not held:
        return wrong("house", "No process has the house's bots connected.", "Look at its log.")
    if missing := sorted(name for player, name in ours.items() if player not in here):
        return wrong("house", f"Not connected: {', '.join(missing)}.", "Look at the bot's log.")
    return fine("house", f"Connected: {', '.join(sorted(ours.values()))}.")


def _house_bots(settings: Settings) -> dict[int, str]:
    """Those that are wanted and registered, by their player ids."""
    wanted, store = wanted_house_bots(settings), opened(settings)
    try:
        with store.read() as conn:
            registered = [bot for bot in bots.all_bots(conn) if bot.kind == "house"]
    finally:
        store.dispose()
    return {bot.player: bot.name for bot in registered if bot.name in wanted}


def _host(settings: Settings) -> Finding:
    machine = socket.gethostname()
    with _connected(settings) as client:
        here = alive_on(client, machine)
    if not here:
        return wrong("host", f"None on {machine} has a heartbeat.", "Look at its log.")
    return fine("host", f"{', '.join(sorted(here))} is alive.")


def _connected(settings: Settings) -> redis.Redis:
    return connect(settings.redis_url, timeout_s=TIMEOUT_S, retries=1)


ROLES: Mapping[str, Callable[[Settings], Finding]] = MappingProxyType(
    {
        "gateway": _gateway,
        "worker": _worker,
        "beat": _beat,
        "dashboard": _dashboard,
        "house": _house,
        "host": _host,
    }
)

"""The health of the local process of one role, for the health checks of containers.

Local means on this host name. Gateway and dashboard are found by their ports; worker, beat and host
by their heartbeats. An arena has only one set of house bots.
"""

import socket
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import redis

from arena.base.config import Settings
from arena.base.errors import ArenaError
from arena.operations.doctor.servers import (
    ask_dashboard,
    ask_gateway,
    examine_dashboard,
    examine_gateway,
)
from arena.operations.supervise.house import wanted_house_bots
from arena.operations.supervise.machine import announcement
from arena.service.bootstrap import opened
from arena.service.health.finding import Finding, fine, wrong
from arena.service.live import keys
from arena.service.live.connect import connect
from arena.service.live.hosting import house_is_held
from arena.service.live.presence import present
from arena.service.live.queues import QUEUES
from arena.service.live.redis_error import explain
from arena.service.live.vitals import alive_on
from arena.store.registry import bots

TIMEOUT_S = 3.0
WORKERS = tuple(map(keys.workers, QUEUES))


def examine_role(role: str, settings: Settings) -> Finding:
    """Check the process of a role, one of `ROLES`. Raises nothing."""
    try:
        return ROLES[role](settings)
    except ArenaError as error:
        return wrong(role, str(error), "")
    except redis.RedisError as error:
        told = explain(error)
        return wrong(role, told.sentence, told.action)


def _gateway(settings: Settings) -> Finding:
    url = announcement(settings).gateway
    return examine_gateway(url, ask_gateway(url, settings.tls_ca))


def _dashboard(settings: Settings) -> Finding:
    url = announcement(settings).dashboard
    return examine_dashboard(url, ask_dashboard(url))


def _heard(role: str, sets: tuple[str, ...], settings: Settings) -> Finding:
    machine = socket.gethostname()
    with _connected(settings) as client:
        here = alive_on(client, machine, *sets)
        hanging = here & alive_on(client, machine, keys.HANGING)
    if not here:
        return wrong(role, f"No {role} on {machine} has a heartbeat.", f"See the {role}'s log.")
    if hanging:
        names = ", ".join(sorted(hanging))
        return wrong(role, f"{names} hangs.", f"It will restart by itself. See the {role}'s log.")
    return fine(role, f"{', '.join(sorted(here))} is alive.")


def _house(settings: Settings) -> Finding:
    if not wanted_house_bots(settings):
        return fine("house", "House bots are disabled (ARENA_HOUSE_BOTS is none).")
    ours = _house_bots(settings)
    with _connected(settings) as client:
        held, here = house_is_held(client), present(client, ours)
    if not held:
        return wrong(
            "house", "No process has connected the house bots.", "See the log of `arena house`."
        )
    if missing := sorted(name for player, name in ours.items() if player not in here):
        return wrong("house", f"Not connected: {', '.join(missing)}.", "See the bot's log.")
    return fine("house", f"Connected: {', '.join(sorted(ours.values()))}.")


def _house_bots(settings: Settings) -> dict[int, str]:
    wanted = wanted_house_bots(settings)
    with opened(settings) as store, store.read() as conn:
        registered = [bot for bot in bots.all_bots(conn) if bot.kind == "house"]
    return {bot.player: bot.name for bot in registered if bot.name in wanted}


def _connected(settings: Settings) -> redis.Redis:
    return connect(settings.redis_url, timeout_s=TIMEOUT_S, retries=1)


ROLES: Mapping[str, Callable[[Settings], Finding]] = MappingProxyType(
    {
        "gateway": _gateway,
        "worker": partial(_heard, "worker", WORKERS),
        "beat": partial(_heard, "beat", (keys.BEATS,)),
        "dashboard": _dashboard,
        "house": _house,
        "host": partial(_heard, "host", (keys.HOSTS,)),
    }
)

"""The house bots: they come with the arena and connect to it like any other bot."""

from __future__ import annotations

from collections.abc import Mapping

from arena.config import Settings
from arena.errors import AlreadyExists, InvalidRequest
from arena.live.connect import connect
from arena.live.presence import present
from arena.store import open_store
from arena.store.registry import bots
from arena.supervise import stack
from arena.supervise.machine import Machine
from arena.supervise.supervisor import Supervisor

CONNECT_WITHIN_S = 20.0  # six programs start at once, possibly on one core
LOOK_EVERY_S = 0.2


def start_house_bots(arena: Machine, *, all_ours: bool = False, key: str = "") -> dict[str, int]:
    """Registers the house bots that are wanted where needed and starts a process for each.

    The same `key` makes their random choices repeat; that is for demos only. Returns the started
    bots' names with their player ids. A bot of the same name that is not a house bot is left
    alone, unless `all_ours` says that nobody else can have registered one.
    """
    return connect_house_bots(
        arena.supervisor, arena.settings, arena.running.gateway, all_ours=all_ours, key=key
    )


def connect_house_bots(
    supervisor: Supervisor, settings: Settings, url: str, *, all_ours: bool = False, key: str = ""
) -> dict[str, int]:
    """The same, at the gateway `url`, which may be on another machine."""
    tokens = _tokens(settings.database, wanted_house_bots(settings), all_ours)
    for bot, token in tokens.items():
        supervisor.start(stack.house_bot(bot.name, url, token, settings.tls_ca, key))
    return {bot.name: bot.player for bot in tokens}


def wanted_house_bots(settings: Settings) -> tuple[str, ...]:
    """The names that ARENA_HOUSE_BOTS stands for, from weak to strong. Raises InvalidRequest."""
    from arena.bots import HOUSE  # imports gRPC, which other commands need not load

    if settings.house_bots in ("all", "none"):
        return tuple(HOUSE) if settings.house_bots == "all" else ()
    named = {name.strip() for name in settings.house_bots.split(",")}
    if not named <= HOUSE.keys():
        raise InvalidRequest(
            f"ARENA_HOUSE_BOTS is {settings.house_bots!r}: say all, none, or some of"
            f" {', '.join(HOUSE)}, separated by commas."
        )
    return tuple(name for name in HOUSE if name in named)


def not_connected(
    arena: Machine, started: Mapping[str, int], within_s: float = CONNECT_WITHIN_S
) -> dict[str, str]:
    """Waits until the started bots are connected. Returns those that are not connected in time,
    each with the last line of its log. Raises redis.RedisError."""
    missing, left_s = dict(started), within_s
    with connect(arena.settings.redis_url) as client:
        while missing and left_s > 0:
            arena.supervisor.pause(LOOK_EVERY_S)
            left_s -= LOOK_EVERY_S
            here = present(client, missing.values())
            missing = {name: player for name, player in missing.items() if player not in here}
    return {name: arena.supervisor.last_words(stack.bot_process(name), 1) for name in missing}


def _tokens(database: str, names: tuple[str, ...], all_ours: bool) -> dict[bots.RegisteredBot, str]:
    """A new token for each house bot that may connect."""
    store, tokens = open_store(database), {}
    try:
        for name in names:
            # One transaction each, so that a refused name does not undo the others.
            with store.write() as conn:
                try:
                    bot, token = bots.register(conn, name, kind="house")
                    tokens[bot] = token
                except AlreadyExists:
                    existing = bots.get(conn, name)
                    if (existing.kind == "house" or all_ours) and existing.retired is None:
                        tokens[existing] = bots.rotate_token(conn, name)
    finally:
        store.dispose()
    return tokens

"""The house bots. They play like any other bot: connected as programs, or hosted.

`arena house` connects them in a separate process, on any machine. Several may run: one has the bots
connected (`arena.service.live.hosting` says which), the others take over when it ends.
"""

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress

import redis
from sqlalchemy import Connection

from arena.base import folder, liveness
from arena.base.config import Settings
from arena.base.errors import AlreadyExists, InvalidRequest
from arena.hosting.submission import artifact
from arena.hosting.submission.files import File
from arena.hosting.submission.manifest import Manifest
from arena.operations.supervise import stack
from arena.operations.supervise.fork import OF_BOTS, can_fork, preload
from arena.operations.supervise.machine import Machine
from arena.operations.supervise.supervisor import Supervisor
from arena.service.live import hosting
from arena.service.live.connect import connect
from arena.service.live.presence import present
from arena.store import open_store
from arena.store.registry import bots, built

CONNECT_WITHIN_S = 20.0  # six programs start at once, possibly on one core
LOOK_EVERY_S = 0.2

# A bot ends if its token was replaced or it was retired. After a restart, this process issues new
# tokens and skips retired bots.
DEATHS = 5

# Short, so that a hanging Redis blocks neither the bots nor the liveness signal.
REDIS_TIMEOUT_S = 2.0

FILE = "bot.py"
PROGRAM = '''"""The house bot {name}, which comes with the arena."""

from arena.bots import {table}


class {kind}({table}["{name}"]):
    """As it is."""
'''


def start_house_bots(
    supervisor: Supervisor, settings: Settings, url: str, *, all_ours: bool = False, key: str = ""
) -> dict[str, int]:
    """Register the wanted house bots and start a process for each, connected to the gateway `url`.

    The same `key` repeats their random choices, for demos. Returns the names of the started bots
    with their player ids. Skips names of other bots, unless `all_ours`: in a new arena, no one else
    can have registered one.
    """
    started = {}
    with open_store(settings.database) as store:
        for name in wanted_house_bots(settings):
            # One transaction each, so that a refused name does not undo the others.
            with store.write() as conn:
                if (bot := _house_bot(conn, name, all_ours)) is None:
                    continue
                token = bots.rotate_token(conn, name)
                bots.set_hosted(conn, bot.player, hosted=False)
            supervisor.start(stack.house_bot(name, url, token, settings.tls_ca, key))
            started[name] = bot.player
    return started


def host_house_bots(settings: Settings) -> dict[str, int]:
    """Register the wanted house bots as hosted bots, without a new version. Returns their names
    with their player ids."""
    hosted = {}
    with open_store(settings.database) as store:
        for name in wanted_house_bots(settings):
            with store.write() as conn:
                if (bot := _house_bot(conn, name)) is None:
                    continue
                built.supply(conn, bot, *program_of(name))
            hosted[name] = bot.player
    return hosted


def program_of(name: str) -> tuple[bytes, bytes, Manifest, bytes]:
    """Return the upload of a house bot, its build artifact, its manifest and its Hello."""
    from arena.bots import BOTS, HOUSE
    from arena.sdk.declared import hello_of

    table, needs = ("HOUSE", ()) if name in HOUSE else ("BOTS", ("numpy",))
    source = PROGRAM.format(name=name, kind=name.capitalize(), table=table).encode()
    tree = b"".join(artifact.write([File(FILE, source)]))
    manifest = Manifest(entry=FILE, dependencies=needs)
    return source, tree, manifest, hello_of(BOTS[name]()).SerializeToString()


def wanted_house_bots(settings: Settings) -> tuple[str, ...]:
    """Return the names in ARENA_HOUSE_BOTS, from weak to strong. Raises InvalidRequest."""
    from arena.bots import BOTS, HOUSE  # imports gRPC, which other commands need not load

    if settings.house_bots in ("all", "none"):
        return tuple(HOUSE) if settings.house_bots == "all" else ()
    named = {name.strip() for name in settings.house_bots.split(",")}
    if not named <= BOTS.keys():
        raise InvalidRequest(
            f"ARENA_HOUSE_BOTS is {settings.house_bots!r}. Set it to all, none, or a"
            f" comma-separated list of {', '.join(BOTS)}."
        )
    return tuple(name for name in BOTS if name in named)


def not_connected(
    arena: Machine, started: Mapping[str, int], within_s: float = CONNECT_WITHIN_S
) -> list[str]:
    """Wait for the started bots and return those that do not connect in time. Raises
    redis.RedisError."""
    missing, left_s = dict(started), within_s
    with connect(arena.settings.redis_url) as client:
        while missing and left_s > 0:
            arena.supervisor.pause(LOOK_EVERY_S)
            left_s -= LOOK_EVERY_S
            here = present(client, missing.values())
            missing = {name: player for name, player in missing.items() if player not in here}
    return list(missing)


def _house_bot(conn: Connection, name: str, all_ours: bool = False) -> bots.RegisteredBot | None:
    """Return the house bot of this name, registered if needed; None if it is retired or not a
    house bot."""
    try:
        return bots.register(conn, name, kind="house")[0]
    except AlreadyExists:
        bot = bots.get(conn, name)
    return bot if (bot.kind == "house" or all_ours) and bot.retired is None else None


def run_house(settings: Settings, url: str, tell: Callable[[str], None]) -> None:
    """Keep the house bots connected to the gateway `url` until a signal raises Interrupted.

    Raises Unavailable if the database or Redis is unavailable or a bot is refused repeatedly,
    SchemaMismatch if the database is from another release, InvalidRequest for an unknown house bot.
    """
    wanted = wanted_house_bots(settings)
    open_store(settings.database).dispose()
    logs = folder.logs(settings.data)
    with connect(settings.redis_url, timeout_s=REDIS_TIMEOUT_S, retries=1) as client:
        if can_fork():
            preload(OF_BOTS)
        with Supervisor(logs, tell, give_up_after=DEATHS) as supervisor:
            ours = HouseBots(supervisor, settings, url, tell)
            if not wanted:
                tell("House bots are disabled (ARENA_HOUSE_BOTS is none)")
            try:
                while True:
                    if wanted:
                        ours.tend(client)
                    liveness.alive()
                    supervisor.pause(hosting.RENEW_S)
            finally:
                liveness.stopping()
                ours.leave(client)


class HouseBots:
    """The bots, connected while this process holds the lease. It has no other children."""

    def __init__(
        self, supervisor: Supervisor, settings: Settings, url: str, tell: Callable[[str], None]
    ) -> None:
        self._supervisor = supervisor
        self._settings = settings
        self._url = url
        self._tell = tell
        self._holder = secrets.token_hex(8)
        self._connected = False  # False: another process has the lease
        self._told = False

    def tend(self, client: redis.Redis) -> None:
        """Connect the bots if no other process does, and end them if another took over. Changes
        nothing while Redis is unavailable. Raises Unavailable without the database."""
        try:
            ours = hosting.hold_house(client, self._holder)
        except redis.RedisError:
            return
        if ours and not self._connected:
            self._connect()
        elif not ours:
            self._end()
            if not self._told:
                self._tell("Standby: another process has connected the house bots")
            self._told = True

    def leave(self, client: redis.Redis) -> None:
        """End the bots and release the lease."""
        self._end()
        with suppress(redis.RedisError):  # the lease then expires in a few seconds
            hosting.release_house(client, self._holder)

    def _connect(self) -> None:
        started = start_house_bots(self._supervisor, self._settings, self._url)
        self._connected = True
        self._tell(f"Connecting to {self._url}: {', '.join(started) or 'no bot'}")

    def _end(self) -> None:
        self._supervisor.stop()  # all at the same time
        self._connected = False

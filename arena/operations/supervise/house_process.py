"""The house bots as a process of its own, `arena house`, which may run on any machine.

Several may run: one has the bots connected (`arena.service.live.house` says which), the others
take over when it ends.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress

import redis

from arena.base import folder, liveness
from arena.base.config import Settings
from arena.operations.supervise.fork import can_fork
from arena.operations.supervise.house import connect_house_bots, wanted_house_bots
from arena.operations.supervise.preload import OF_BOTS, preload
from arena.operations.supervise.supervisor import Supervisor
from arena.service.live import house
from arena.service.live.connect import connect
from arena.store import open_store

# A bot ends when it is refused: its token was rotated, or it was retired. Started anew as a whole,
# this process gives out tokens again, and leaves out who is retired.
DEATHS = 5

# A Redis that is silent must not keep this process from its bots, nor from its signs of life.
REDIS_TIMEOUT_S = 2.0


def run_house(settings: Settings, url: str, tell: Callable[[str], None]) -> None:
    """Has the house bots connected to the gateway `url` until a signal raises Interrupted.

    Raises Unavailable when the database or Redis cannot be had, or a bot is refused again and
    again; SchemaMismatch when the database is of another release; InvalidRequest when a house bot
    is wanted that there is not.
    """
    wanted = wanted_house_bots(settings)
    open_store(settings.database).dispose()
    logs = folder.logs(settings.data)
    with connect(settings.redis_url, timeout_s=REDIS_TIMEOUT_S, retries=1) as client:
        if can_fork():
            preload(OF_BOTS)
        with Supervisor(logs, tell, give_up_after=DEATHS) as supervisor:
            bots = HouseBots(supervisor, settings, url, tell)
            if not wanted:
                tell("No house bot is wanted: ARENA_HOUSE_BOTS is none")
            try:
                while True:
                    if wanted:
                        bots.tend(client)
                    liveness.alive()
                    supervisor.pause(house.RENEW_S)
            finally:
                liveness.stopping()
                bots.leave(client)


class HouseBots:
    """The bots, connected for as long as they are this process's; it has no other children."""

    def __init__(
        self, supervisor: Supervisor, settings: Settings, url: str, tell: Callable[[str], None]
    ) -> None:
        self._supervisor = supervisor
        self._settings = settings
        self._url = url
        self._tell = tell
        self._holder = secrets.token_hex(8)
        self._connected = False  # False: they are another process's
        self._told = False

    def tend(self, client: redis.Redis) -> None:
        """Connects them if nobody else does, and ends them if somebody else took over. While Redis
        is away all stays as it is. Raises Unavailable without the database."""
        try:
            ours = house.hold(client, self._holder)
        except redis.RedisError:
            return
        if ours and not self._connected:
            self._connect()
        elif not ours:
            self._end()
            self._say_who_waits()

    def leave(self, client: redis.Redis) -> None:
        """Ends them, and lets the next process have them at once."""
        self._end()
        with suppress(redis.RedisError):  # then they are free in a few seconds
            house.let_go(client, self._holder)

    def _connect(self) -> None:
        started = connect_house_bots(self._supervisor, self._settings, self._url)
        self._connected = True
        self._tell(f"Connecting to {self._url}: {', '.join(started) or 'no bot'}")

    def _end(self) -> None:
        self._supervisor.stop()  # all at once: the next process waits for the last of them
        self._connected = False

    def _say_who_waits(self) -> None:
        if not self._told:
            self._tell(
                "Another process has the house's bots connected; this one takes over from it"
            )
        self._told = True

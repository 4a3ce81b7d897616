"""`arena house`: the house bots as a separate process, on any machine.

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

# A bot ends if its token was replaced or it was retired. After a restart, this process issues new
# tokens and skips retired bots.
DEATHS = 5

# Short, so that a hanging Redis blocks neither the bots nor the liveness signal.
REDIS_TIMEOUT_S = 2.0


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
            bots = HouseBots(supervisor, settings, url, tell)
            if not wanted:
                tell("House bots are disabled (ARENA_HOUSE_BOTS is none)")
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
            ours = house.hold(client, self._holder)
        except redis.RedisError:
            return
        if ours and not self._connected:
            self._connect()
        elif not ours:
            self._end()
            self._say_who_waits()

    def leave(self, client: redis.Redis) -> None:
        """End the bots and release the lease."""
        self._end()
        with suppress(redis.RedisError):  # the lease then expires in a few seconds
            house.let_go(client, self._holder)

    def _connect(self) -> None:
        started = connect_house_bots(self._supervisor, self._settings, self._url)
        self._connected = True
        self._tell(f"Connecting to {self._url}: {', '.join(started) or 'no bot'}")

    def _end(self) -> None:
        self._supervisor.stop()  # all at the same time
        self._connected = False

    def _say_who_waits(self) -> None:
        if not self._told:
            self._tell("Standby: another process has connected the house bots")
        self._told = True

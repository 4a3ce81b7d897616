"""The house bots as a process of its own, `arena house`, which may run on any machine.

Several may run: one has the bots connected (`arena.live.house` says which), the others take over
when it ends.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress

import redis

from arena import folder
from arena.config import Settings
from arena.live import house
from arena.live.connect import connect
from arena.store import open_store
from arena.supervise import stack
from arena.supervise.fork import can_fork
from arena.supervise.house import connect_house_bots
from arena.supervise.preload import OF_BOTS, preload
from arena.supervise.supervisor import Supervisor

# A bot ends when it is refused: its token was rotated, or it was retired. Started anew as a whole,
# this process gives out tokens again, and leaves out who is retired.
DEATHS = 5


def run_house(settings: Settings, url: str, tell: Callable[[str], None]) -> None:
    """Has the house bots connected to the gateway `url` until a signal raises Interrupted.

    Raises Unavailable when the database or Redis cannot be had, or a bot is refused again and
    again; SchemaMismatch when the database is of another release.
    """
    open_store(settings.database).dispose()
    logs = folder.logs(settings.data)
    with connect(settings.redis_url) as client:
        if can_fork():
            preload(OF_BOTS)
        with Supervisor(logs, tell, give_up_after=DEATHS) as supervisor:
            bots = HouseBots(supervisor, settings, url, tell)
            try:
                while True:
                    bots.tend(client)
                    supervisor.pause(house.RENEW_S)
            finally:
                bots.leave(client)


class HouseBots:
    """The bots, connected for as long as they are this process's."""

    def __init__(
        self, supervisor: Supervisor, settings: Settings, url: str, tell: Callable[[str], None]
    ) -> None:
        self._supervisor = supervisor
        self._settings = settings
        self._url = url
        self._tell = tell
        self._holder = secrets.token_hex(8)
        self._connected: list[str] | None = None  # None: they are another process's
        self._told = False

    def tend(self, client: redis.Redis) -> None:
        """Connects them if nobody else does, and ends them if somebody else took over. While Redis
        is away all stays as it is. Raises Unavailable without the database."""
        try:
            ours = house.hold(client, self._holder)
        except redis.RedisError:
            return
        if ours and self._connected is None:
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
        self._connected = list(started)
        self._tell(f"Connecting to {self._url}: {', '.join(started) or 'no bot'}")

    def _end(self) -> None:
        for name in self._connected or ():
            self._supervisor.end(stack.bot_process(name))
        self._connected = None

    def _say_who_waits(self) -> None:
        if not self._told:
            self._tell(
                "Another process has the house's bots connected; this one takes over from it"
            )
        self._told = True

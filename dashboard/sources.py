"""Where the pages get what they show, the database and Redis, and who does what they ask."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import redis
import structlog
from flask import current_app
from sqlalchemy import Connection

from arena.config import Settings
from arena.control.service import ControlService
from arena.errors import Unavailable
from arena.forecast import NOBODY, Seen, seen
from arena.live.incidents import incidents
from arena.live.presence import Presence, any_gateway, present
from arena.live.vitals import Vitals, vitals
from arena.store import Store
from dashboard.database import Database
from dashboard.probe import Probe

log = structlog.get_logger(__name__)

# A Redis that did not answer is left in peace for so long: pages must not wait for it each time.
PAUSE_S = 3.0


@dataclass(frozen=True)
class Live:
    """Who is connected now, by player, and whether a gateway is there to connect to.

    `known` is False where Redis cannot be asked; nobody is connected then as far as we know.
    """

    known: bool
    gateway: bool
    connected: dict[int, Presence]


Answer = TypeVar("Answer")

UNKNOWN = Live(known=False, gateway=False, connected={})


class Sources:
    """The database and Redis of one arena, for several threads."""

    def __init__(self, settings: Settings, store: Store, client: redis.Redis | None) -> None:
        self.settings = settings
        self.store = Database(store)
        self._redis = client
        self._silent_until = 0.0
        # What pages do, as against show: the same as on the command line and over gRPC.
        self.control = ControlService(
            self.store,
            settings.redis_url if client is not None else None,
            settings.in_flight,
            settings.bench_after,
        )
        self.probe = Probe(store)

    def read(self) -> AbstractContextManager[Connection]:
        """A connection for reading. Raises Unavailable."""
        return self.store.read()

    def live(self, players: Iterable[int]) -> Live:
        """What Redis knows of these players; `known` is False if it does not answer."""
        query = partial(_live, players=list(players))
        return self._answer(query) or UNKNOWN

    def seen(self, players: Iterable[int]) -> Seen:
        """What Redis knows of these players that matters for a forecast."""
        return self._answer(partial(seen, players=list(players))) or NOBODY

    def vitals(self) -> Vitals | None:
        """Which workers and gateways live, and the work that waits; None if Redis is silent."""
        return self._answer(vitals)

    def incidents(self, tournaments: Sequence[int]) -> dict[int, str]:
        """Which of these cannot go on, and why, as far as Redis knows."""
        return self._answer(partial(incidents, tournaments=tournaments)) or {}

    @property
    def runs(self) -> bool:
        """Whether this is the dashboard of an arena that has a Redis, if perhaps a silent one."""
        return self._redis is not None

    def _answer(self, ask: Callable[[redis.Redis], Answer]) -> Answer | None:
        """What Redis answers; None if it does not, and for a while after it did not."""
        if self._redis is None or time.monotonic() < self._silent_until:
            return None
        try:
            return ask(self._redis)
        except redis.RedisError as error:
            log.warning("Redis does not answer", error=str(error))
            self._silent_until = time.monotonic() + PAUSE_S
            return None

    @property
    def redis(self) -> redis.Redis:
        """Redis, for pages that cannot do without. Raises Unavailable where there is none."""
        if self._redis is None:
            raise Unavailable("The arena does not run: start it with `arena up`.")
        return self._redis


def _live(client: redis.Redis, players: Sequence[int]) -> Live:
    return Live(True, any_gateway(client), present(client, players))


def sources() -> Sources:
    """The sources of the application that answers the present request."""
    extension = current_app.extensions["arena"]
    assert isinstance(extension, Sources)
    return extension

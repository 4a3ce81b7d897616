"""Where the pages get what they show, the database and Redis, and who does what they ask."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import partial

import redis
from flask import current_app
from sqlalchemy import Connection

from arena.base import instant
from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.service.control.service import ControlService
from arena.service.forecast import NOBODY, LivePace, seen
from arena.service.live import first_forecasts
from arena.service.live.line import Line, line
from arena.service.live.reader import Live, LiveReader
from arena.service.live.vitals import Vitals
from arena.store import Store
from arena.store.registry.audit_log import Actor
from dashboard.database import Database
from dashboard.probe import Probe


class Sources:
    """The database and Redis of one arena, for several threads."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        client: redis.Redis | None,
        actor: Callable[[], Actor | None] = lambda: None,
    ) -> None:
        """`actor` tells who sends the present request, for the audit log."""
        self.settings, self.actor = settings, actor
        self.store = Database(store)
        self._redis = client
        self.reader = LiveReader(client)
        # What pages do, as against show: the same as on the command line and over gRPC.
        self.control = ControlService(
            self.store,
            settings.redis_url if client is not None else None,
            settings.in_flight,
            settings.bench_after,
            actor=actor,
        )
        self.probe = Probe(store)

    def read(self) -> AbstractContextManager[Connection]:
        """A connection for reading. Raises Unavailable."""
        return self.store.read()

    def live(self, players: Iterable[int]) -> Live:
        """What Redis knows of these players; `known` is False if it does not answer."""
        return self.reader.live(players)

    def seen(self, players: Iterable[int]) -> LivePace:
        """What Redis knows of these players that matters for a forecast."""
        return self.reader.answer(partial(seen, players=list(players))) or NOBODY

    def first_forecast(self, tournament: int) -> float | None:
        """Seconds that a tournament was to take when it started; None where that is not known."""
        return self.reader.answer(partial(first_forecasts.recall, tournament=tournament))

    def line(self) -> Line:
        """Which tournaments wait for a worker; nobody if Redis is silent."""
        return self.reader.answer(partial(line, now=instant.now())) or Line()

    def vitals(self) -> Vitals | None:
        """Which workers and gateways live, and the work that waits; None if Redis is silent."""
        return self.reader.vitals()

    @property
    def redis(self) -> redis.Redis:
        """Redis, for pages that cannot do without. Raises Unavailable where there is none."""
        if self._redis is None:
            raise Unavailable("The arena is not running. Start it with `arena up`.")
        return self._redis


def sources() -> Sources:
    """The sources of the application that answers the present request."""
    extension = current_app.extensions["arena"]
    assert isinstance(extension, Sources)
    return extension

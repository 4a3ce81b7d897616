"""The arena that runs, as the control service reaches it: its Redis, and through it its workers."""

from __future__ import annotations

from collections.abc import Iterable

import redis
import structlog

from arena.base import instant
from arena.base.errors import Unavailable
from arena.service.forecast import NOBODY, LivePace, seen
from arena.service.live import first_forecasts
from arena.service.live.connect import connect
from arena.service.live.dispatch import send_advance
from arena.service.live.line import Line, line
from arena.service.live.presence import Presence, present
from arena.service.live.queues import PLAY
from arena.service.live.vitals import vitals

log = structlog.get_logger(__name__)


class RunningArena:
    """Connected when it is first needed. Safe for several threads."""

    def __init__(self, redis_url: str | None) -> None:
        """`redis_url` is None for an arena that does not run."""
        self._redis_url = redis_url
        self._redis: redis.Redis | None = None

    def close(self) -> None:
        """Closes the connection."""
        if self._redis is not None:
            self._redis.close()

    def check(self) -> redis.Redis:
        """A connection that was just tried. Raises Unavailable when the arena does not run."""
        if self._redis_url is None:
            raise Unavailable("The arena does not run: start it with `arena up`.")
        if self._redis is None:
            self._redis = connect(self._redis_url)
        try:
            self._redis.ping()
        except redis.RedisError as error:
            raise Unavailable(
                f"The arena's Redis does not answer ({error}): start the arena with `arena up`."
            ) from error
        return self._redis

    def seen(self, players: Iterable[int]) -> LivePace:
        """What a forecast needs to know of them; nobody where the arena does not run."""
        try:
            return seen(self.check(), players)
        except (Unavailable, redis.RedisError):
            return NOBODY

    def first_forecast(self, tournament: int) -> float | None:
        """Seconds that a tournament was to take when it started; None where that is not known."""
        try:
            return first_forecasts.recall(self.check(), tournament)
        except (Unavailable, redis.RedisError):
            return None

    def present(self, players: Iterable[int]) -> dict[int, Presence]:
        """Who of them is connected, by player; nobody where the arena does not run."""
        try:
            return present(self.check(), players)
        except (Unavailable, redis.RedisError):
            return {}

    def line(self) -> tuple[Line, int]:
        """Which tournaments wait for a worker, and how many workers play; nobody where the arena
        does not run."""
        try:
            client = self.check()
            return line(client, instant.now()), vitals(client).workers[PLAY]
        except (Unavailable, redis.RedisError):
            return Line(), 0

    def send_advance(self, tournament: int) -> None:
        """To be called after the commit. Lost, it costs time only: beat finds the tournament."""
        try:
            send_advance(self._redis_url or "", tournament)
        except Unavailable as error:
            log.warning("workers not told", tournament=tournament, error=str(error))

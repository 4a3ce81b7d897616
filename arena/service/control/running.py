"""The control service's access to the running arena: Redis, and through it the workers."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

import redis
import structlog

from arena.base import instant
from arena.base.errors import Unavailable
from arena.service.forecast import NOBODY, LivePace, seen
from arena.service.live import first_forecasts
from arena.service.live.connect import connect, unreachable
from arena.service.live.dispatch import send_advance
from arena.service.live.player_presence import Presence
from arena.service.live.presence import present
from arena.service.live.queues import PLAY
from arena.service.live.ready import TournamentQueue, line
from arena.service.live.vitals import vitals

log = structlog.get_logger(__name__)

Answer = TypeVar("Answer")


class RunningArena:
    """Connects to Redis on first use. Thread-safe."""

    def __init__(self, redis_url: str | None) -> None:
        """`redis_url` is None if the arena is not running."""
        self._redis_url = redis_url
        self._redis: redis.Redis | None = None

    def close(self) -> None:
        if self._redis is not None:
            self._redis.close()

    def check(self) -> redis.Redis:
        """A connection that has just answered. Raises Unavailable if the arena is not running."""
        if self._redis_url is None:
            raise Unavailable(
                "The arena is not running. Start it with `arena up`.", "The arena is not running."
            )
        if self._redis is None:
            self._redis = connect(self._redis_url)
        try:
            self._redis.ping()
        except redis.RedisError as error:
            raise unreachable(self._redis_url, error) from error
        return self._redis

    def seen(self, players: Iterable[int]) -> LivePace:
        """The input of a forecast about connected players; empty if the arena is not running."""
        return self._ask(partial(seen, players=players), NOBODY)

    def first_forecast(self, tournament: int) -> float | None:
        """The seconds that a tournament was expected to take at its start; None if unknown."""
        return self._ask(partial(first_forecasts.recall, tournament=tournament), None)

    def present(self, players: Iterable[int]) -> dict[int, Presence]:
        """The connected ones among these players; empty if the arena is not running."""
        return self._ask(partial(present, players=players), {})

    def line(self) -> tuple[TournamentQueue, int]:
        """The tournaments that wait for a worker, and the number of workers that play; empty and 0
        if the arena is not running."""
        return self._ask(
            lambda client: (line(client, instant.now()), vitals(client).workers[PLAY]),
            (TournamentQueue(), 0),
        )

    def _ask(self, ask: Callable[[redis.Redis], Answer], otherwise: Answer) -> Answer:
        try:
            return ask(self.check())
        except (Unavailable, redis.RedisError):
            return otherwise

    def send_advance(self, tournament: int) -> None:
        """Call this after the commit. If the message is lost, the next sweep finds the
        tournament."""
        try:
            send_advance(self._redis_url or "", tournament)
        except Unavailable as error:
            log.warning("cannot notify workers", tournament=tournament, error=str(error))

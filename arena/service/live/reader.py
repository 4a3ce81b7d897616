"""Reads from Redis for callers that can do without it: they get None while it does not answer."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import redis
import structlog

from arena.service.live.incidents import Incident, incidents
from arena.service.live.player_presence import Presence
from arena.service.live.presence import gateway_and_present
from arena.service.live.redis_error import try_write
from arena.service.live.vitals import Vitals, vitals

log = structlog.get_logger(__name__)

PAUSE_S = 3.0  # before a silent Redis is asked again, so that not every page waits for it

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Live:
    """The connected players, and whether any gateway is alive. `known` is False if Redis cannot be
    asked; then there are none."""

    known: bool
    gateway: bool
    connected: dict[int, Presence]


UNKNOWN = Live(known=False, gateway=False, connected={})


class LiveReader:
    """Thread-safe. `client` is None if the arena is not running, or if it cannot be created
    because of `error`."""

    def __init__(self, client: redis.Redis | None, error: Exception | None = None) -> None:
        self._client = client
        self._silent_until = 0.0
        self._error = error  # the last one
        self.failures = 0  # times that it did not answer

    @property
    def place(self) -> str:
        """The address of Redis, for operators."""
        found = self._client.connection_pool.connection_kwargs if self._client else {}
        return found.get("path") or f"{found.get('host', 'localhost')}:{found.get('port', 6379)}"

    @property
    def runs(self) -> bool:
        """Whether the arena has a Redis, even if it does not answer."""
        return self._client is not None or self._error is not None

    def live(self, players: Iterable[int]) -> Live:
        """The connections of these players; `known` is False if Redis does not answer."""
        ids = list(players)
        found = self.answer(lambda client: Live(True, *gateway_and_present(client, ids)))
        return found or UNKNOWN

    def vitals(self) -> Vitals | None:
        """Heartbeats and queue lengths; None if Redis does not answer."""
        return self.answer(vitals)

    def incidents(self, tournaments: Sequence[int]) -> dict[int, Incident]:
        """The recent errors of these tournaments; empty if Redis does not answer."""
        return self.answer(partial(incidents, tournaments=tournaments)) or {}

    def trouble(self) -> Exception | None:
        """The error if Redis does not answer or refuses writes."""
        if self._client is None or time.monotonic() < self._silent_until:
            return self._error
        try:
            try_write(self._client)
        except redis.RedisError as error:
            return error
        return None

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def answer(self, ask: Callable[[redis.Redis], Answer]) -> Answer | None:
        """Returns the result of `ask`; None if Redis does not answer, and for `PAUSE_S` after."""
        if self._client is None or time.monotonic() < self._silent_until:
            return None
        try:
            return ask(self._client)
        except redis.RedisError as error:
            log.warning("Redis does not answer", error=str(error))
            self.failures += 1
            self._silent_until = time.monotonic() + PAUSE_S
            self._error = error
            return None

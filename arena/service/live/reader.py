"""Redis for those who can do without: they get an answer, or None while it is silent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import redis
import structlog

from arena.service.live.incidents import Incident, incidents
from arena.service.live.presence import Presence, gateway_and_present
from arena.service.live.redis_error import try_write
from arena.service.live.vitals import Vitals, vitals

log = structlog.get_logger(__name__)

# A Redis that did not answer is left in peace for so long: pages must not wait for it each time.
PAUSE_S = 3.0

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Live:
    """Who is connected now, by player, and whether a gateway is there to connect to.

    `known` is False where Redis cannot be asked; nobody is connected then as far as we know.
    """

    known: bool
    gateway: bool
    connected: dict[int, Presence]


UNKNOWN = Live(known=False, gateway=False, connected={})


class LiveReader:
    """For several threads. `client` is None for an arena that does not run, or with an `error`
    where there cannot be one."""

    def __init__(self, client: redis.Redis | None, error: Exception | None = None) -> None:
        self._client = client
        self._silent_until = 0.0
        self._error = error  # the last one
        self.failures = 0  # times that it did not answer

    @property
    def place(self) -> str:
        """Where Redis is, for operators."""
        found = self._client.connection_pool.connection_kwargs if self._client else {}
        return found.get("path") or f"{found.get('host', 'localhost')}:{found.get('port', 6379)}"

    @property
    def runs(self) -> bool:
        """Whether this is an arena that has a Redis, if perhaps a silent one."""
        return self._client is not None or self._error is not None

    def live(self, players: Iterable[int]) -> Live:
        """What Redis knows of these players; `known` is False if it does not answer."""
        return self.answer(partial(_live, players=list(players))) or UNKNOWN

    def vitals(self) -> Vitals | None:
        """Which workers and gateways live, and the work that waits; None if Redis is silent."""
        return self.answer(vitals)

    def incidents(self, tournaments: Sequence[int]) -> dict[int, Incident]:
        """The errors of these tournaments, as far as Redis knows."""
        return self.answer(partial(incidents, tournaments=tournaments)) or {}

    def trouble(self) -> Exception | None:
        """Why Redis does not answer or take what is written, if so."""
        if self._client is None or time.monotonic() < self._silent_until:
            return self._error
        try:
            try_write(self._client)
        except redis.RedisError as error:
            return error
        return None

    def close(self) -> None:
        """Closes its connections."""
        if self._client is not None:
            self._client.close()

    def answer(self, ask: Callable[[redis.Redis], Answer]) -> Answer | None:
        """What Redis answers; None if it does not, and for a while after it did not."""
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


def _live(client: redis.Redis, players: Sequence[int]) -> Live:
    return Live(True, *gateway_and_present(client, players))

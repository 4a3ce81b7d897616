"""Closes connections of banned callers, and excess connections of an address."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

import structlog

from arena.base.config import Settings
from arena.service.gateway import connections
from arena.service.gateway.rate_limiter import RateLimiter

log = structlog.get_logger(__name__)

HANG_UP_S = 0.005  # minimum between two rounds
COUNT_S = 2.0  # between two counts of the connections of each address
PAUSE_FACTOR = 10  # minimum pause, relative to the duration of a count

P = ParamSpec("P")
T = TypeVar("T")


class ConnectionCloser:
    """The task of one gateway."""

    def __init__(self, limiter: RateLimiter, port: int, settings: Settings) -> None:
        self._limiter = limiter
        self._port = port
        self._most = settings.people_per_address * settings.connections_per_person

    async def run(self) -> None:
        """Run until cancelled."""
        # In an attack the shared threads have a queue of tokens to look up.
        with ThreadPoolExecutor(1, "closer") as thread:
            await asyncio.gather(self._hang_up(thread), self._count(thread))

    async def _hang_up(self, thread: ThreadPoolExecutor) -> None:
        """Close connections of banned callers at once."""
        limiter, loop = self._limiter, asyncio.get_running_loop()
        while True:
            await limiter.hang_up_wanted.wait()
            limiter.hang_up_wanted.clear()
            peers, limiter.to_hang_up = limiter.to_hang_up, set()
            began = loop.time()
            await _in(thread, connections.hang_up, self._port, peers)
            await asyncio.sleep(max(HANG_UP_S, loop.time() - began))

    async def _count(self, thread: ThreadPoolExecutor) -> None:
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            await self._find_excess(thread)
            await asyncio.sleep(max(COUNT_S, PAUSE_FACTOR * (loop.time() - began)))

    async def _find_excess(self, thread: ThreadPoolExecutor) -> None:
        # Every connection is an open file, so few open files mean no excess.
        if connections.open_files() <= self._most:
            return
        busy = frozenset(self._limiter.busy)
        found = await _in(
            thread, connections.excess, self._port, self._most, self._limiter.exempt, busy
        )
        if found:
            log.warning("an address has too many connections", closed=len(found))
            self._limiter.hang_up(found)


async def _in(
    thread: ThreadPoolExecutor, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    return await asyncio.wrap_future(thread.submit(call, *args, **kwargs))

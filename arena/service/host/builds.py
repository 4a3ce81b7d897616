"""The builds of a host: which submission is built next, and how many are built at once.

Authors take turns. No author has more than half of the places, so that a bot that takes long delays
only its own author. One build always runs if a submission waits. Another one starts while a core is
idle, or when those that run have taken long. Rebuilds of pruned artifacts have one more place.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Protocol, TypeVar

import structlog
from sqlalchemy.exc import SQLAlchemyError

from arena.base.errors import ArenaError
from arena.store.registry.submissions import Submission

log = structlog.get_logger(__name__)
T = TypeVar("T")

LOOK_S = 1.0
IDLE_CORES = 0.5  # for which another build starts
LONG_S = 10.0  # after which builds that run no longer keep another one from starting
STAT = Path("/proc/stat")
IDLE, IOWAIT = 4, 5  # fields of a line, see man 5 proc_stat
MOST_AUTHORS = 10_000  # whose turns are remembered
LEAST, MOST = 2, 4  # builds at once, where the setting is 0


def builds_at_once(setting: int) -> int:
    """The most builds at once: the setting, or one per core."""
    return setting or min(MOST, max(LEAST, os.cpu_count() or 1))


class Builder(Protocol):
    """Builds submissions, as `arena.service.host.builder` does."""

    async def take(self, in_turn: Callable[[Iterable[int]], Iterable[int]]) -> Submission | None:
        """Claims the next submission, if one waits."""

    async def build(self, found: Submission) -> None:
        """Builds it."""

    async def run_again(self) -> bool:
        """Rebuilds a pruned artifact. Returns False if none is missing."""


class Builds:
    """Runs the builds of a host, at most `most` at once."""

    def __init__(
        self,
        builder: Builder,
        most: int,
        idle: IdleCores | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._builder, self._most = builder, most
        self._idle, self._now = idle or IdleCores(), now
        self._turns = Turns()
        self._building = Counter[int]()  # by author
        self._started = 0.0  # the newest build
        self._ended = asyncio.Event()

    async def run(self) -> None:
        """Builds until it is cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._rebuild())
            while True:
                found = None
                if self._has_room():
                    found = await _survived(self._builder.take(self._in_turn))
                if found is None:
                    await self._wait()
                else:
                    self._begin(found)
                    group.create_task(self._build(found))

    def _has_room(self) -> bool:
        running = self._building.total()
        if running == 0 or running >= self._most:
            return running == 0
        return self._is_idle() or self._now() - self._started > LONG_S

    def _is_idle(self) -> bool:
        """Whether a core was idle during the last second, with all builds that run."""
        if self._idle.measured_s < LOOK_S:
            return False
        cores = self._idle.cores()
        self._idle.restart()
        return cores >= IDLE_CORES

    def _in_turn(self, authors: Iterable[int]) -> list[int]:
        share = max(1, self._most // 2)
        return [one for one in self._turns.in_order(authors) if self._building[one] < share]

    def _begin(self, found: Submission) -> None:
        self._turns.took(found.author)
        self._building[found.author] += 1
        self._started = self._now()
        self._idle.restart()

    async def _build(self, found: Submission) -> None:
        try:
            await _survived(self._builder.build(found))
        finally:
            self._building -= Counter((found.author,))
            self._ended.set()

    async def _rebuild(self) -> None:
        while True:
            if not await _survived(self._builder.run_again()):
                await asyncio.sleep(LOOK_S)

    async def _wait(self) -> None:
        """Waits until a build ends, at most for a second."""
        self._ended.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_S):
                await self._ended.wait()


async def _survived(step: Awaitable[T]) -> T | None:
    """The result of a step. If it fails, that is logged: one upload must not stop all others."""
    try:
        return await step
    except (SQLAlchemyError, ArenaError, OSError) as error:
        log.warning("builds wait", error=str(error))
    except Exception:
        log.exception("a build failed")
    return None


class IdleCores:
    """Measures how many cores are idle."""

    def __init__(
        self, idle_s: Callable[[], float] | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        """`idle_s` returns the seconds for which cores have been idle, all of them together."""
        self._idle_s, self._now = idle_s or idle_seconds, now
        self.restart()

    def restart(self) -> None:
        self._since, self._before = self._now(), self._idle_s()

    @property
    def measured_s(self) -> float:
        """Seconds since the start of the measurement."""
        return self._now() - self._since

    def cores(self) -> float:
        """The mean number of idle cores since the start of the measurement."""
        return (self._idle_s() - self._before) / self.measured_s


def idle_seconds(stat: Path = STAT) -> float:
    """Seconds for which the cores that this process may use have been idle, all of them together;
    0 where the kernel does not report it."""
    own = {f"cpu{core}" for core in os.sched_getaffinity(0)}
    try:
        lines = map(str.split, stat.read_text().splitlines())
        ticks = sum(int(line[IDLE]) + int(line[IOWAIT]) for line in lines if {*line[:1]} & own)
    except (OSError, ValueError, IndexError):
        return 0.0
    return ticks / os.sysconf("SC_CLK_TCK")


class Turns:
    """Remembers when authors were last served, for the `most` served last."""

    def __init__(self, most: int = MOST_AUTHORS) -> None:
        self._most = most
        self._turns: dict[int, int] = {}  # by author: the number of the last turn, ascending
        self._numbers = count(1)

    def in_order(self, authors: Iterable[int]) -> list[int]:
        """Sorts authors by their last turn, the longest ago first; ties keep their order."""
        return sorted(authors, key=lambda author: self._turns.get(author, 0))

    def took(self, author: int) -> None:
        self._turns.pop(author, None)
        self._turns[author] = next(self._numbers)
        if len(self._turns) > self._most:
            del self._turns[next(iter(self._turns))]

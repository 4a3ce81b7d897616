"""Room for hosted bots on a host: a number of processes, and memory for them and their sandboxes.

A match needs processes of all its bots, so matches could deadlock waiting for each other's
processes. Therefore matches that started earlier come first. For them, an idle process of a later
match is ended. That match continues in a new process when there is room, since decisions are
self-contained. A process that has been idle for long is ended for any match. Sandboxes without
processes go first.
"""

import asyncio
import time
from collections.abc import Callable, Hashable, Iterable
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import NamedTuple, Protocol

UNIT_MB = 3  # memory of a process of a small bot, without shared pages
SANDBOX_UNITS = 4  # of a sandbox without processes
LEAST_UNITS = 2 * (SANDBOX_UNITS + 1)
PATIENCE_S = 1.0  # for which a process may be idle while others wait for room
MOST_ORDERS = 100_000  # of matches, including those whose end was not reported


def places(processes: int, units: float, apart: int, together: int) -> int:
    """Return how many matches each bot may have under way, so that there is room for all of them.

    There are `apart` bots with a process for each match and `together` bots with one for all. Each
    also has a spare process.
    """
    most = min(processes, units - SANDBOX_UNITS * (apart + together)) - 2 * together
    return max(1, int(most // max(1, apart)) - 1)


class Idle(NamedTuple):
    """A process without a decision."""

    order: float  # of its match; infinite if it has none
    since: float  # monotonic seconds
    end: Callable[[], None]


class ProcessOwner(Protocol):
    """The process pool of a bot."""

    @property
    def processes(self) -> int:
        """Number of processes."""

    @property
    def has_sandbox(self) -> bool:
        """Whether it has a sandbox, which its next process would need."""

    def idle(self) -> Iterable[Idle]:
        """Yield the idle processes."""

    def end_sandbox(self) -> None:
        """End the sandbox, which has no process."""


class Waiting(NamedTuple):
    """A match that waits for room."""

    order: float
    number: int
    again: Callable[[], None]


class Room:
    """Room for `most` processes within `units` of memory (see `UNIT_MB`), shared by `bots`."""

    def __init__(
        self,
        most: int,
        units: float = inf,
        now: Callable[[], float] = time.monotonic,
        later: Callable[[float, Callable[[], None]], object] | None = None,
    ) -> None:
        """`later` calls a function after a delay (seconds); by default in the running loop."""
        self.bots: list[ProcessOwner] = []
        self._most, self._units = most, max(units, LEAST_UNITS)
        self._now, self._later = now, later or _later
        self._orders: dict[Hashable, int] = {}
        self._count = count()
        self._waiting: list[Waiting] = []  # a heap
        self._ending = False  # a process was ended, but is not gone yet
        self._looks = False  # a check is scheduled

    # The order of matches

    def order_of(self, match: Hashable) -> int:
        """Return the order of a match: lower for matches that started earlier on this host."""
        if match not in self._orders:
            if len(self._orders) >= MOST_ORDERS:
                del self._orders[next(iter(self._orders))]
            self._orders[match] = next(self._count)
        return self._orders[match]

    def over(self, match: Hashable) -> None:
        """A match has ended."""
        self._orders.pop(match, None)

    # Room

    def has_more(self, bot: ProcessOwner) -> bool:
        """Return whether there is room for another process of a bot, and no match waits."""
        return not self._waiting and self._fits(bot)

    def take(self, bot: ProcessOwner, order: float) -> bool:
        """Return whether a bot may start another process, for a match of this order. If not, a
        process may be ended for it; then call `wait`."""
        if self._waiting and self._waiting[0].order < order:
            return False
        while not self._fits(bot):
            sandbox = self._empty_sandbox(bot)
            if sandbox is None:
                self._end_one(order)
                return False
            sandbox.end_sandbox()
        return True

    def wait(self, order: float, again: Callable[[], None]) -> None:
        """Call `again` once there may be room; lower orders come first."""
        heappush(self._waiting, Waiting(order, next(self._count), again))
        if not self._looks:
            self._looks = True
            self._later(PATIENCE_S, self._look)

    def freed(self) -> None:
        """Let waiting matches try again until there is no room: something has ended."""
        self._ending = False
        while self._waiting:
            first = heappop(self._waiting)
            behind = len(self._waiting)
            first.again()
            if len(self._waiting) > behind:  # it waits again
                return

    def one_waits(self, idle: Idle) -> None:
        """End a process that has become idle if a match that started earlier waits for room."""
        if self._waiting and not self._ending and idle.order > self._waiting[0].order:
            self._ending = True
            idle.end()

    def _look(self) -> None:
        self._looks = False
        if self._waiting:
            self.freed()
        if self._waiting and not self._looks:
            self._looks = True
            self._later(PATIENCE_S, self._look)

    def _fits(self, bot: ProcessOwner) -> bool:
        taken = sum(one.processes + SANDBOX_UNITS * one.has_sandbox for one in self.bots)
        wanted = 1 if bot.has_sandbox else 1 + SANDBOX_UNITS
        return self._processes() < self._most and taken + wanted <= self._units

    def _processes(self) -> int:
        return sum(bot.processes for bot in self.bots)

    def _empty_sandbox(self, bot: ProcessOwner) -> ProcessOwner | None:
        """Return a bot whose empty sandbox can be ended to make room for this bot."""
        if self._processes() >= self._most:
            return None
        empty = (one for one in self.bots if one.has_sandbox and not one.processes)
        return next((one for one in empty if one is not bot), None)

    def _end_one(self, order: float) -> None:
        """End a process for a match of this order, if allowed."""
        idle = [one for bot in self.bots for one in bot.idle()]
        if self._ending or not idle:
            return
        latest = max(idle, key=lambda one: one.order)
        longest = min(idle, key=lambda one: one.since)
        if latest.order > order:
            self._ending = True
            latest.end()
        elif self._now() - longest.since > PATIENCE_S:
            self._ending = True
            longest.end()


def _later(seconds: float, what: Callable[[], None]) -> object:
    return asyncio.get_running_loop().call_later(seconds, what)

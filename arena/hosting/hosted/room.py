"""Room for what hosted bots have on a host: so many processes, and memory for them and their
sandboxes.

A match needs a process of each of its bots, one after the other, so matches could hold what others
wait for, in a circle. Therefore those that began earlier come first: for them a process goes that
waits in a match which began later, and which goes on in another process when there is room, as any
match can, since a decision says all there is to know. Whoever waits in vain for long loses its
process to anybody. A sandbox that is left without a process goes before any of that.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Iterable
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import NamedTuple, Protocol

UNIT_MB = 3  # what a process takes of its own, of a bot that keeps little
SANDBOX_UNITS = 4  # and a sandbox without any
LEAST_UNITS = 2 * (SANDBOX_UNITS + 1)
PATIENCE_S = 1.0  # for which a process may wait for something to do while others wait for room
MOST_ORDERS = 100_000  # of matches whose end nobody told


def places(processes: int, units: float, apart: int, together: int) -> int:
    """How many matches each bot may have under way, so that there is room for all of them.

    There are `apart` bots with a process for each match and `together` bots with one for all; each
    has a process more, which waits for the next match.
    """
    most = min(processes, units - SANDBOX_UNITS * (apart + together)) - 2 * together
    return max(1, int(most // max(1, apart)) - 1)


class Idle(NamedTuple):
    """A process that waits for something to do."""

    order: float  # of its match; infinite if it has none
    since: float  # monotonic seconds
    end: Callable[[], None]


class ProcessOwner(Protocol):
    """A bot that has processes."""

    @property
    def processes(self) -> int:
        """How many it has."""

    @property
    def has_sandbox(self) -> bool:
        """Whether its sandbox is there, which its next process would need."""

    def idle(self) -> Iterable[Idle]:
        """Those of its processes that wait."""

    def end_sandbox(self) -> None:
        """Ends a sandbox in which there is no process."""


class Waiting(NamedTuple):
    """Somebody who waits for room."""

    order: float
    number: int
    again: Callable[[], None]


class Room:
    """Room for `most` processes, within so many units of memory; `bots` are those that share it."""

    def __init__(
        self,
        most: int,
        units: float = inf,
        now: Callable[[], float] = time.monotonic,
        later: Callable[[float, Callable[[], None]], object] | None = None,
    ) -> None:
        """`later` calls something after so many seconds; by default the running loop does."""
        self.bots: list[ProcessOwner] = []
        self._most, self._units = most, max(units, LEAST_UNITS)
        self._now, self._later = now, later or _later
        self._orders: dict[Hashable, int] = {}
        self._count = count()
        self._waiting: list[Waiting] = []  # a heap
        self._ending = False  # one was ended, which is not gone yet
        self._looks = False  # after a while

    # Which match began before which

    def order_of(self, match: Hashable) -> int:
        """The order of a match: of two that are under way, the one that began first here has the
        lower."""
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
        """Whether a bot may have another process, and nobody waits for that."""
        return not self._waiting and self._fits(bot)

    def take(self, bot: ProcessOwner, order: float) -> bool:
        """Whether a bot may have another process, for a match of this order. If not, another may
        be ended for it: see `wait`."""
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
        """Calls this once there may be room; those of lower order first."""
        heappush(self._waiting, Waiting(order, next(self._count), again))
        if not self._looks:
            self._looks = True
            self._later(PATIENCE_S, self._look)

    def freed(self) -> None:
        """Something is gone: those who wait for room try again, until there is none."""
        self._ending = False
        while self._waiting:
            first = heappop(self._waiting)
            behind = len(self._waiting)
            first.again()
            if len(self._waiting) > behind:  # it waits again
                return

    def one_waits(self, idle: Idle) -> None:
        """A process waits for something to do: it is ended for a match that began earlier, if one
        waits for room. (Those that waited before it were looked at then.)"""
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
        """One whose end makes room for a process of this bot."""
        if self._processes() >= self._most:
            return None
        empty = (one for one in self.bots if one.has_sandbox and not one.processes)
        return next((one for one in empty if one is not bot), None)

    def _end_one(self, order: float) -> None:
        """Ends a process for a match of this order, if one may be ended."""
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

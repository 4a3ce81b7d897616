"""Room for what hosted bots have on a host: so many processes, and memory for them and their jails.

When it is full, the process goes that has waited longest for something to do; its match goes on in
another process, as any match can, since a decision says all there is to know. A jail that is left
without a process goes before that. So nobody waits for ever, whoever waits for whom.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from math import inf
from typing import Protocol

UNIT_MB = 4  # what a process takes of its own, of a bot that keeps little
JAIL_UNITS = 4  # and a jail without any
LEAST_UNITS = 2 * (JAIL_UNITS + 1)


class Tenant(Protocol):
    """A bot that has processes."""

    @property
    def processes(self) -> int:
        """How many it has."""

    @property
    def has_jail(self) -> bool:
        """Whether its jail is there, which its next process would need."""

    def idle_since(self) -> float:
        """Since when one of its processes waits, monotonic seconds; infinite if none does."""

    def end_idle(self) -> None:
        """Ends the one that has waited longest."""

    def end_jail(self) -> None:
        """Ends a jail in which there is no process."""


class Room:
    """Room for `most` processes, within so many units of memory; `bots` are those that share it."""

    def __init__(self, most: int, units: float = inf) -> None:
        self.bots: list[Tenant] = []
        self._most, self._units = most, max(units, LEAST_UNITS)
        self._waiting: deque[Callable[[], None]] = deque()
        self._serving = False

    @property
    def is_waited_for(self) -> bool:
        """Whether anybody waits for room."""
        return bool(self._waiting)

    def has_more(self, bot: Tenant) -> bool:
        """Whether a bot may have another process, and nobody waits for that."""
        return not self._waiting and self._fits(bot)

    def take(self, bot: Tenant) -> bool:
        """Whether a bot may have another process. If not, one that waits is ended; those who wait
        for room come first."""
        if self._waiting and not self._serving:
            return False
        while not self._fits(bot):
            empty = [one for one in self.bots if one.has_jail and not one.processes]
            if bot in empty:
                empty.remove(bot)
            if not empty or _count(self.bots) >= self._most:
                self._end_idle(bot)
                return False
            empty[0].end_jail()
        return True

    def wait(self, again: Callable[[], None]) -> None:
        """Calls this once there may be room."""
        self._waiting.append(again)

    def freed(self) -> None:
        """Something is gone, or waits: whoever waits for room tries again, one after the other
        until there is none."""
        if self._serving:
            return
        self._serving = True
        try:
            while self._waiting:
                behind = len(self._waiting) - 1
                self._waiting.popleft()()
                if len(self._waiting) > behind:  # it waits again, as the first
                    self._waiting.rotate(1)
                    return
        finally:
            self._serving = False

    def _fits(self, bot: Tenant) -> bool:
        taken = sum(one.processes + JAIL_UNITS * one.has_jail for one in self.bots)
        wanted = 1 if bot.has_jail else 1 + JAIL_UNITS
        return _count(self.bots) < self._most and taken + wanted <= self._units

    def _end_idle(self, bot: Tenant) -> None:
        longest = min(self.bots, key=lambda one: one.idle_since(), default=bot)
        if longest.idle_since() < inf:
            longest.end_idle()


def _count(bots: Sequence[Tenant]) -> int:
    return sum(bot.processes for bot in bots)

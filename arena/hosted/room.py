"""How many processes of bots there may be at once on a host, over all its bots.

When it is full, the process goes that has waited longest for something to do; its match goes on in
another process, as any match can, since a decision says all there is to know. So nobody waits for
ever, whoever waits for whom.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from math import inf
from typing import Protocol


class Tenant(Protocol):
    """A bot that has processes."""

    @property
    def processes(self) -> int:
        """How many it has."""

    def idle_since(self) -> float:
        """Since when one of them waits, monotonic seconds; infinite if none does."""

    def end_idle(self) -> None:
        """Ends the one that has waited longest."""


class Room:
    """Room for so many processes; `bots` are those that share it."""

    def __init__(self, most: int) -> None:
        self.bots: list[Tenant] = []
        self._most = most
        self._waiting: deque[Callable[[], None]] = deque()

    def has_more(self) -> bool:
        """Whether there may be another process, and nobody waits for that."""
        return not self._waiting and _count(self.bots) < self._most

    def take(self, bot: Tenant) -> bool:
        """Whether a bot may have another process. If not, one that waits is ended."""
        if self.has_more():
            return True
        longest = min(self.bots, key=lambda one: one.idle_since(), default=bot)
        if longest.idle_since() < inf:
            longest.end_idle()
        return False

    def wait(self, again: Callable[[], None]) -> None:
        """Calls this once there may be room."""
        self._waiting.append(again)

    def freed(self) -> None:
        """A process is gone: whoever waits tries again, the first one first."""
        waiting, self._waiting = self._waiting, deque()
        for again in waiting:
            again()


def _count(bots: Sequence[Tenant]) -> int:
    return sum(bot.processes for bot in bots)

"""The time: Unix times by the database's clock, which all processes share, and durations.

Processes on several machines store times and compare them, and the clock of one machine may be
wrong. So each process measures how far the database's clock is from its own monotonic clock:
`arena.store.schema` reads it together with the version of the schema. SQLite has no clock of its
own; its processes run on one machine and use that machine's.
"""

from __future__ import annotations

import time
from typing import NamedTuple


class Instant(NamedTuple):
    """One moment. Durations are measured on `monotonic`; `unix` is what gets stored and shown."""

    monotonic: float  # seconds since an arbitrary start
    unix: float  # seconds since 1970


class SharedClock:
    """The database's clock, as far as this process knows it; until then this machine's."""

    def __init__(self) -> None:
        self._zero: float | None = None  # the Unix time when the monotonic clock read 0

    def read(self) -> float:
        """Unix seconds."""
        return time.time() if self._zero is None else self._zero + time.monotonic()

    def measured(self, there: float, before: float, after: float) -> None:
        """The database's clock read `there` (Unix seconds) between two monotonic readings.

        The clock moves no further than needed to agree, so it hardly moves at all: a slow answer
        says little and changes little.
        """
        lowest, highest = there - after, there - before
        zero = (lowest + highest) / 2 if self._zero is None else self._zero
        self._zero = min(max(zero, lowest), highest)


database_clock = SharedClock()


def now() -> float:
    """Unix seconds by the database's clock: for all times that are stored or compared with such."""
    return database_clock.read()


def read_clock() -> Instant:
    """This moment."""
    return Instant(time.monotonic(), now())


def ahead_s(there: float, before: float, after: float) -> float:
    """How far a clock that read `there` is ahead of one that read `before` and `after` around it.

    Negative if it is behind, 0 if the two may agree. All in seconds.
    """
    return min(there - before, 0.0) + max(there - after, 0.0)


def overlap(began: float, since: float, until: float) -> float:
    """How much of the time from `since` to `until` came after `began` (all seconds)."""
    return max(0.0, until - max(since, began))

"""Unix times by the database's clock, which all processes share, and durations.

Processes compare stored times, and the clock of a machine may be wrong. So each process measures
the offset between the database's clock and its own monotonic clock. `arena.store.schema` reads the
database's clock with the version of the schema. Processes with SQLite use their machine's clock.
"""

import time
from typing import NamedTuple


class Instant(NamedTuple):
    """A moment on two clocks: `monotonic` for durations, `unix` for stored and displayed times."""

    monotonic: float  # seconds since an arbitrary start
    unix: float  # seconds since 1970


class SharedClock:
    """This process's estimate of the database's clock; this machine's clock until measured."""

    def __init__(self) -> None:
        self._zero: float | None = None  # the Unix time when the monotonic clock read 0

    def read(self) -> float:
        """The time in Unix seconds."""
        return time.time() if self._zero is None else self._zero + time.monotonic()

    def measured(self, there: float, before: float, after: float) -> None:
        """Updates the estimate: the database's clock read `there` (Unix seconds) between the two
        monotonic readings. Moves the clock only as far as needed to agree with them."""
        lowest, highest = there - after, there - before
        zero = (lowest + highest) / 2 if self._zero is None else self._zero
        self._zero = min(max(zero, lowest), highest)


database_clock = SharedClock()


def now() -> float:
    """Unix seconds by the database's clock, for times that are stored or compared with these."""
    return database_clock.read()


def read_clock() -> Instant:
    """The current moment."""
    return Instant(time.monotonic(), now())


def ahead_s(there: float, before: float, after: float) -> float:
    """The seconds by which a clock that read `there` is ahead of one that read `before` and `after`
    around it. Negative if it is behind, 0 if the two may agree."""
    return min(there - before, 0.0) + max(there - after, 0.0)


def overlap(began: float, since: float, until: float) -> float:
    """The part of the time from `since` to `until` that is after `began` (all in seconds)."""
    return max(0.0, until - max(since, began))

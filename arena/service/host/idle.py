"""The idle time of this machine's cores."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

STAT = Path("/proc/stat")
IDLE, IOWAIT = 4, 5  # fields of a line, see man 5 proc_stat


class IdleCores:
    """Measures how many cores are idle."""

    def __init__(
        self, idle_s: Callable[[], float] | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        """`idle_s` returns the seconds for which cores have been idle, all of them together."""
        self._idle_s, self._now = idle_s or idle_seconds, now
        self.restart()

    def restart(self) -> None:
        """Starts a new measurement."""
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

"""What the kernel counts of a process: the CPU time that it used, and its waits for a core."""

from __future__ import annotations

import os
import time

SCHEDULED = 2  # CPUCLOCK_SCHED: what the scheduler counted, in nanoseconds


class CpuClock:
    """The CPU time of a process, all its threads together; reading it takes half a microsecond.

    The clock is named by the process's number, which the kernel gives to another process once this
    one is reaped: read it only before that.
    """

    def __init__(self, process: int) -> None:
        self._clock = (~process << 3) | SCHEDULED

    def seconds(self) -> float:
        """So far. Raises OSError when the process is gone."""
        return time.clock_gettime(self._clock)


def waited_s(process: int) -> float:
    """Seconds for which a process (its first thread) has waited for a core so far, by the kernel's
    count; 0 where the kernel does not count that. Raises OSError when it is gone."""
    with open(f"/proc/{process}/schedstat") as schedstat:
        counted = schedstat.read().split()
    return int(counted[1]) / 1e9


def mapped_bytes(process: int) -> int:
    """The address space of a process. Raises OSError when it is gone."""
    with open(f"/proc/{process}/statm") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")

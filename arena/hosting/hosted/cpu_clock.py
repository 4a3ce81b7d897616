"""The CPU time, thread states and memory of a process, as the kernel reports them."""

from __future__ import annotations

import os
import time

SCHEDULED = 2  # CPUCLOCK_SCHED: what the scheduler counted, in nanoseconds
# States of threads, see man 5 proc_pid_stat.
AWAKE, ENDED = frozenset("RD"), frozenset("ZX")


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


def is_asleep(process: int) -> bool:
    """Whether all threads of a process sleep: none runs, waits for a core, or waits for a disk.
    Raises OSError when the process is gone, or hidden from this one."""
    threads = os.listdir(f"/proc/{process}/task")
    states = {_state(process, thread) for thread in threads} - ENDED
    return bool(states) and not states & AWAKE


def _state(process: int, thread: str) -> str:
    try:
        with open(f"/proc/{process}/task/{thread}/stat", "rb") as stat:
            return chr(stat.read().rpartition(b") ")[2][0])
    except (FileNotFoundError, ProcessLookupError):  # only this thread is gone
        return "X"


def mapped_bytes(process: int) -> int:
    """The address space of a process. Raises OSError when it is gone."""
    with open(f"/proc/{process}/statm") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")

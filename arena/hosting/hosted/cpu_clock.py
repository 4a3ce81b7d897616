"""The CPU time, thread states and memory of a process, as the kernel reports them."""

import os
import time

SCHEDULED = 2  # CPUCLOCK_SCHED: what the scheduler counted, in nanoseconds
# States of threads, see man 5 proc_pid_stat.
AWAKE, ENDED = frozenset("RD"), frozenset("ZX")


def cpu_seconds(process: int) -> float:
    """Return the CPU time so far of a process with all its threads. Raises OSError if it is gone.
    Do not call it after the process is reaped: the kernel may reuse its number."""
    return time.clock_gettime((~process << 3) | SCHEDULED)


def is_asleep(process: int) -> bool:
    """Return whether no thread of a process runs, or waits for a core or a disk. Raises OSError if
    the process is gone or hidden."""
    threads = os.listdir(f"/proc/{process}/task")
    states = {_state(process, thread) for thread in threads} - ENDED
    return bool(states) and not states & AWAKE


def _state(process: int, thread: str) -> str:
    try:
        with open(f"/proc/{process}/task/{thread}/stat", "rb") as stat:
            return chr(stat.read().rpartition(b") ")[2][0])
    except (FileNotFoundError, ProcessLookupError):  # this thread has ended
        return "X"


def thread_count(process: int) -> int:
    """Return the number of threads. Raises OSError if the process is gone or hidden."""
    return os.stat(f"/proc/{process}/task").st_nlink - 2  # a folder for each


def mapped_bytes(process: int) -> int:
    """Return the size of the address space. Raises OSError if the process is gone."""
    with open(f"/proc/{process}/statm") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")

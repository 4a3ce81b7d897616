"""The times at which this worker's tasks last made progress, in shared memory.

A stalled process cannot report itself, so the main process reads its last mark. Marks are cheap.
"""

from __future__ import annotations

import itertools
import mmap
import struct
import threading
import time
import zlib

from billiard.process import current_process

SLOTS = 1024  # processes or threads of a worker; more would overwrite each other's marks
_MARK = struct.Struct("=Qd")  # task, and monotonic time, which all processes share
_marks = mmap.mmap(-1, SLOTS * _MARK.size)  # anonymous; created before the fork
_threads = itertools.count()
_own = threading.local()


def mark(task: str) -> None:
    """Notes that a task makes progress."""
    _MARK.pack_into(_marks, _slot() * _MARK.size, _key(task), time.monotonic())


def last(tasks: list[str]) -> dict[str, float]:
    """The times (monotonic seconds) at which these tasks last made progress, if ever."""
    times = dict(_MARK.iter_unpack(_marks[:]))
    return {task: times[_key(task)] for task in tasks if _key(task) in times}


def _slot() -> int:
    """The slot of this thread and process. A pool has either several threads or processes."""
    if not hasattr(_own, "number"):
        _own.number = next(_threads)
    number: int = _own.number + getattr(current_process(), "index", 0)
    return number % SLOTS


def _key(task: str) -> int:
    return 1 + zlib.crc32(task.encode())  # 0 marks an unused slot

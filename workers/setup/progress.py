"""When each task of this worker last made progress, in memory that its processes share.

A stalled process cannot report anything; the process that hands tasks out looks at the marks it
left before. A mark costs less than a microsecond.
"""

from __future__ import annotations

import itertools
import mmap
import struct
import threading
import time
import zlib

from billiard.process import current_process

SLOTS = 1024  # processes or threads of one worker; more would overwrite each other's marks
_MARK = struct.Struct("=Qd")  # whose, and when by the monotonic clock that all processes share
_marks = mmap.mmap(-1, SLOTS * _MARK.size)  # anonymous; made before the fork
_threads = itertools.count()
_own = threading.local()


def mark(task: str) -> None:
    """Notes that this task makes progress."""
    _MARK.pack_into(_marks, _slot() * _MARK.size, _key(task), time.monotonic())


def last(tasks: list[str]) -> dict[str, float]:
    """When each of these tasks last made progress (monotonic seconds), if ever."""
    times = dict(_MARK.iter_unpack(_marks[:]))
    return {task: times[_key(task)] for task in tasks if _key(task) in times}


def _slot() -> int:
    """The place of this thread of this process; a pool has several of the one or of the other."""
    if not hasattr(_own, "number"):
        _own.number = next(_threads)
    number: int = _own.number + getattr(current_process(), "index", 0)
    return number % SLOTS


def _key(task: str) -> int:
    return 1 + zlib.crc32(task.encode())  # never 0, which an unused slot has

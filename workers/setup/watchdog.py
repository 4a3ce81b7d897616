"""Detects from the main process whether a worker hangs.

A busy worker is healthy however long its queue is, because its tasks report progress. A worker
*hangs* if a task reports none, or if it has a free process but does not start waiting tasks.

A stalled process cannot report itself, so tasks mark their progress in shared memory, and the main
process reads their last marks. Marks are cheap.
"""

import itertools
import mmap
import struct
import threading
import time
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from billiard.process import current_process
from celery.worker import state

# A pass takes about a tenth of a second, but a busy database may delay it by half a minute.
STALLED_S = 45.0
# If a process is free, a waiting task starts within milliseconds.
IGNORED_S = 8.0
# Checks run every second. After a longer pause, earlier observations no longer count.
PAUSE_S = 3.0


SLOTS = 1024  # processes or threads of a worker; more would overwrite each other's marks
_MARK = struct.Struct("=Qd")  # task, and monotonic time, which all processes share
_marks = mmap.mmap(-1, SLOTS * _MARK.size)  # anonymous; created before the fork
_threads = itertools.count()
_own = threading.local()


@dataclass(frozen=True)
class RunningTask:
    """A running task."""

    id: str
    started: float  # monotonic seconds
    pid: int


@dataclass(frozen=True)
class WorkerLoad:
    """A worker's tasks."""

    running: tuple[RunningTask, ...]
    reserved: int  # and not started
    total: int  # ever started
    queued: int  # in its queues


class Watchdog:
    """Checks a worker's load once a second."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._total = -1
        self._checked = float("-inf")
        self._ignored_since: float | None = None

    @property
    def ignores_tasks(self) -> bool:
        """Whether, at the last check, tasks had waited for too long despite a free process."""
        since = self._ignored_since
        return since is not None and self._checked - since > IGNORED_S

    def check(self, load: WorkerLoad, now: float) -> str:
        """The problem, for the log; "" without one."""
        if now - self._checked > PAUSE_S:
            self._ignored_since = None
        self._checked = now
        self._note_ignored(load, now)
        stalled = sorted({task.pid for task in _stalled(load.running, now)})
        if stalled:
            return f"no progress for {STALLED_S:g} s: process {', '.join(map(str, stalled))}"
        if self.ignores_tasks:
            return f"no waiting task was started for {IGNORED_S:g} s, although a process is free"
        return ""

    def _note_ignored(self, load: WorkerLoad, now: float) -> None:
        free = len(load.running) < self._processes
        # Reserved tasks belong to a process already, so the start of other tasks does not count.
        ignored = load.reserved > 0 or (load.queued > 0 and load.total == self._total)
        self._total = load.total
        if not (free and ignored):
            self._ignored_since = None
        elif self._ignored_since is None:
            self._ignored_since = now


def _stalled(tasks: Iterable[RunningTask], now: float) -> list[RunningTask]:
    running = list(tasks)
    marks = last_progress([task.id for task in running])
    return [task for task in running if now - max(task.started, marks.get(task.id, 0)) > STALLED_S]


def current_load(queued: int) -> WorkerLoad:
    """This worker's load, as Celery reports it."""
    now, ago = time.monotonic(), time.time()
    active = _copy(state.active_requests)
    running = tuple(
        RunningTask(request.id, now - max(0.0, ago - request.time_start), request.worker_pid or 0)
        for request in active
        if request.time_start is not None
    )
    reserved = len(set(_copy(state.reserved_requests)) - set(active))
    return WorkerLoad(running, reserved, state.all_total_count[0], queued)


def _copy(requests: Iterable[Any]) -> list[Any]:
    """Copies the requests, although in a pool of threads one may arrive during iteration."""
    for _ in range(10):
        with suppress(RuntimeError):
            return list(requests)
    return []


def mark_progress(task: str) -> None:
    """Notes that a task makes progress."""
    _MARK.pack_into(_marks, _slot() * _MARK.size, _key(task), time.monotonic())


def last_progress(tasks: list[str]) -> dict[str, float]:
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

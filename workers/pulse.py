"""Whether a worker gets on with its tasks, as the process that hands them out sees it.

A worker that is busy is well, however long its queue: its tasks say that they get on. One *hangs*
when a task does not, or when tasks wait that it has the processes for and does not begin.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from celery.worker import state

from workers import progress

# A pass of a batch takes a tenth of a second; a store that is busy may keep it for half a minute.
STILL_S = 45.0
# A task that waits is begun within milliseconds where a process is free.
IGNORED_S = 15.0


@dataclass(frozen=True)
class Task:
    """A task that was begun (monotonic seconds), and by which process."""

    id: str
    began: float
    pid: int


@dataclass(frozen=True)
class Load:
    """What a worker has in hand: tasks begun, how many more it took, how many it ever began, and
    how many wait in its queues."""

    begun: tuple[Task, ...]
    taken: int
    total: int
    queued: int


class Pulse:
    """To be told every second what the worker has in hand."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._total = -1
        self._ignored_since: float | None = None

    def feel(self, load: Load, now: float) -> str:
        """What is the matter, for the log; "" if all is well."""
        self._look_for_ignored(load, now)
        still = sorted({task.pid for task in _still(load.begun, now)})
        if still:
            return f"no progress for {STILL_S:g} s: process {', '.join(map(str, still))}"
        if self._ignored_since is not None and now - self._ignored_since > IGNORED_S:
            return f"tasks wait and none was begun for {IGNORED_S:g} s, though a process is free"
        return ""

    def _look_for_ignored(self, load: Load, now: float) -> None:
        free = len(load.begun) < self._processes
        # Those it took were handed to a process, so others that begin say nothing of them.
        ignored = load.taken > 0 or (load.queued > 0 and load.total == self._total)
        self._total = load.total
        if not (free and ignored):
            self._ignored_since = None
        elif self._ignored_since is None:
            self._ignored_since = now


def _still(tasks: Iterable[Task], now: float) -> list[Task]:
    begun = list(tasks)
    marks = progress.last([task.id for task in begun])
    return [task for task in begun if now - max(task.began, marks.get(task.id, 0)) > STILL_S]


def load(queued: int) -> Load:
    """What Celery says that this worker has in hand."""
    now, ago = time.monotonic(), time.time()
    active = _copy(state.active_requests)
    begun = tuple(
        Task(request.id, now - max(0.0, ago - request.time_start), request.worker_pid or 0)
        for request in active
        if request.time_start is not None
    )
    taken = len(set(_copy(state.reserved_requests)) - set(active))
    return Load(begun, taken, state.all_total_count[0], queued)


def _copy(requests: Iterable[Any]) -> list[Any]:
    """The requests; with a pool of threads one may come while they are looked through."""
    for _ in range(10):
        with suppress(RuntimeError):
            return list(requests)
    return []

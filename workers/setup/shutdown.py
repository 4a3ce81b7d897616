"""Flags in shared memory for the shutdown of a worker.

At shutdown, Celery waits for running tasks without notifying them. A flag makes them suspend their
matches and return. With the other flag, a child process that finds the database migrated to another
release shuts the worker down.
"""

import mmap
from typing import Any

from celery.signals import worker_shutting_down

from arena.base import liveness

_flags = mmap.mmap(-1, 2)  # anonymous and shared; created before the fork
REQUESTED, OUTDATED = range(2)


def requested() -> bool:
    """Whether this worker is shutting down."""
    return _flags[REQUESTED] != 0


@worker_shutting_down.connect(weak=False)
def _request(**_: Any) -> None:
    _flags[REQUESTED] = 1
    liveness.stopping()


def outdated() -> bool:
    """Whether a process of this worker found the database at another release."""
    return _flags[OUTDATED] != 0


def note_outdated() -> None:
    """Makes this worker shut down soon; see `workers.setup.heartbeat`."""
    _flags[OUTDATED] = 1

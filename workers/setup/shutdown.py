"""Flags in shared memory by which a worker's processes tell each other that it shuts down.

At shutdown Celery waits for running tasks but does not tell them. A flag made before the fork
does: tasks suspend their matches and return. The other way round, a child that finds the database
migrated to another release has the whole worker shut down.
"""

from __future__ import annotations

import mmap
from typing import Any

from celery.signals import worker_shutting_down

from arena.base import liveness

_flags = mmap.mmap(-1, 2)  # anonymous and shared: each sees what the other writes
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
    """Has this worker shut down soon; see `workers.setup.heartbeat`."""
    _flags[OUTDATED] = 1

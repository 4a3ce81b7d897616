"""What the processes of a worker let each other know of its end, in memory they share.

Celery waits for running tasks at shutdown but does not tell them. A flag, made before the fork,
does: they put their matches aside and return. The other way round, a child that finds the
database migrated to another release has the whole worker end.
"""

from __future__ import annotations

import mmap
from typing import Any

from celery.signals import worker_shutting_down

_flags = mmap.mmap(-1, 2)  # anonymous and shared: each sees what the other writes
ENDING, OUTDATED = range(2)


def asked() -> bool:
    """Whether this worker is about to end."""
    return _flags[ENDING] != 0


@worker_shutting_down.connect(weak=False)
def _ask(**_: Any) -> None:
    _flags[ENDING] = 1


def outdated() -> bool:
    """Whether a process of this worker found the database to be of another release."""
    return _flags[OUTDATED] != 0


def note_outdated() -> None:
    """Has this worker end soon, see `workers.heart`."""
    _flags[OUTDATED] = 1

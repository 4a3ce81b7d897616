"""Tells the forked processes of a worker that it is about to end.

Celery waits for running tasks at shutdown but does not tell them. A flag in memory shared with
the children, made before the fork, does: they put their matches aside and return.
"""

from __future__ import annotations

import mmap
from typing import Any

from celery.signals import worker_shutting_down

_flag = mmap.mmap(-1, 1)  # anonymous and shared: children see what the parent writes


def asked() -> bool:
    """Whether this worker is about to end."""
    return _flag[0] != 0


@worker_shutting_down.connect(weak=False)
def _ask(**_: Any) -> None:
    _flag[0] = 1

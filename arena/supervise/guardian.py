"""Run as a script: ends what a killed supervisor left behind.

    python -I -S guardian.py < pipe from the supervisor

The supervisor writes `+GROUP` when it started a process group and `-GROUP` when that is gone.
However the supervisor ends, the pipe closes; groups still known then are asked to end and,
after `PATIENCE_S`, killed. Groups rather than processes, because a Celery worker has children
of its own.

It imports nothing of the arena: it must be there before anything else and cost little.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable

PATIENCE_S = 4.0
KILLED_S = 2.0  # a process that was killed is gone within that, or is a zombie nobody reaps


def is_alive(group: int) -> bool:
    """Whether the process group has a member."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # macOS says so of a group of zombies
        return False
    return True


def send(group: int, number: signal.Signals) -> None:
    """Signals a whole group; one that is gone is well."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return


def left_behind(lines: Iterable[str]) -> set[int]:
    """Reads the supervisor's notes to their end; the groups that were never signed off."""
    groups: set[int] = set()
    for line in lines:
        group = int(line[1:])
        if line.startswith("+"):
            groups.add(group)
        else:
            groups.discard(group)
    return groups


def end(groups: set[int]) -> None:
    """SIGTERM to all, and SIGKILL to those that are there `PATIENCE_S` later.

    Returns when they are gone: until then this process keeps the folder's lock.
    """
    for group in groups:
        send(group, signal.SIGTERM)
    wait_until_gone(groups, PATIENCE_S)
    for group in groups:
        send(group, signal.SIGKILL)
    wait_until_gone(groups, KILLED_S)


def wait_until_gone(groups: set[int], within_s: float) -> None:
    """Returns when no group has a member any more, or after so many seconds."""
    deadline = time.monotonic() + within_s
    while any(map(is_alive, groups)) and time.monotonic() < deadline:
        time.sleep(0.05)


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    end(left_behind(sys.stdin))

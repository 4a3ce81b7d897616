"""A script that ends the processes left behind by a killed program.

    python -I -S reaper.py < pipe from the program

The program, such as the supervisor or `arena play`, writes `+GROUP` when it starts a process
group and `-GROUP` when the group is gone. The pipe closes however the program ends; the groups
still registered then get SIGTERM and, `TERM_WAIT_S` later, SIGKILL. It tracks groups rather than
processes because a Celery worker has child processes.

It imports nothing from the arena, because it has to start first and fast.
"""

import os
import signal
import sys
import time
from collections.abc import Iterable

TERM_WAIT_S = 4.0  # between SIGTERM and SIGKILL
KILL_WAIT_S = 2.0  # after which a killed process is gone, or a zombie that is never reaped


def is_alive(group: int) -> bool:
    """Whether the process group has members."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # what macOS raises for a group of zombies
        return False
    return True


def send(group: int, number: signal.Signals) -> None:
    """Signals a process group, unless it is gone."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return


def left_behind(lines: Iterable[str]) -> set[int]:
    """Reads the program's messages to the end. Returns the groups that are still registered."""
    groups: set[int] = set()
    for line in lines:
        group = int(line[1:])
        if line.startswith("+"):
            groups.add(group)
        else:
            groups.discard(group)
    return groups


def end(groups: set[int]) -> None:
    """Sends SIGTERM to all, and SIGKILL to those that still run `TERM_WAIT_S` later. Returns when
    they are gone. Until then this process holds the data folder's lock."""
    for group in groups:
        send(group, signal.SIGTERM)
    wait_until_gone(groups, TERM_WAIT_S)
    for group in groups:
        send(group, signal.SIGKILL)
    wait_until_gone(groups, KILL_WAIT_S)


def wait_until_gone(groups: set[int], within_s: float) -> None:
    """Returns when every group is empty, or after `within_s` seconds."""
    deadline = time.monotonic() + within_s
    while any(map(is_alive, groups)) and time.monotonic() < deadline:
        time.sleep(0.05)


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    end(left_behind(sys.stdin))

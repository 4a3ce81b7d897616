"""Signs of life of this process, for whoever restarts it when they stop.

Two may watch, and neither has to: systemd, which names a socket in NOTIFY_SOCKET (Type=notify,
WatchdogSec=), and a probe that looks at the age of the file ARENA_LIVENESS_FILE (`arena probe`).
What calls `alive` must stand still when the process does no work any more, and must go on while
only Redis or the database are away: that is no reason to be restarted.
"""

from __future__ import annotations

import os
import socket
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from arena.base.errors import InvalidRequest, Unavailable

EVERY_S = 1.0  # signs between which less time has passed count as one
SILENT_S = 30.0  # after which `arena probe` takes a process for dead

NEVER = float("-inf")


class Liveness:
    """The signs of one process; `socket_name` is systemd's, `file` the probe's."""

    def __init__(self, socket_name: str = "", file: Path | None = None) -> None:
        """Raises InvalidRequest when the file cannot be written."""
        self._address = f"\0{socket_name[1:]}" if socket_name.startswith("@") else socket_name
        self._file = file
        self._last = NEVER
        if file is not None:
            _try(file)
        self.take_over()

    def take_over(self) -> None:
        """From now on signs of this thread of this process count, and no others: a child must not
        speak for the parent that it was forked from, nor a thread for a loop that stands still."""
        self._owner = (os.getpid(), threading.get_ident())

    def alive(self) -> None:
        """A sign of life; to be called at least every second. The first says that all is ready."""
        now = time.monotonic()
        if now - self._last < EVERY_S or (os.getpid(), threading.get_ident()) != self._owner:
            return
        if self._file is not None:
            with suppress(OSError):  # a disk that is full: the probe will tell
                self._file.touch()
        self._notify("READY=1\nWATCHDOG=1" if self._last == NEVER else "WATCHDOG=1")
        self._last = now

    def stopping(self) -> None:
        """The process was told to stop, and takes its time."""
        self._notify("STOPPING=1")

    def _notify(self, state: str) -> None:
        if not self._address:
            return
        # Nobody there, or too much to read for them: the next sign comes soon.
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.setblocking(False)
            systemd.sendto(state.encode(), self._address)


def _try(file: Path) -> None:
    """Leaves no file behind: one that an earlier process made says nothing of this one. The file
    itself is never made here, not for an instant: who looks at it would take it for a sign."""
    try:
        with tempfile.TemporaryFile(dir=file.parent):
            file.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidRequest(
            f"ARENA_LIVENESS_FILE cannot be written: {file} ({error.strerror}). Name a file in a"
            " folder that this process may write to."
        ) from error


def check(file: Path, silent_s: float, now: float) -> float:
    """For how many seconds nothing was heard at `now` (Unix seconds) of the process that touches
    this file. Raises Unavailable where that is longer than `silent_s`, or where there is no file:
    it is not ready yet."""
    try:
        age = now - file.stat().st_mtime
    except OSError as error:
        raise Unavailable(
            f"There is no sign of life in {file} ({error.strerror}): the process that has"
            " ARENA_LIVENESS_FILE set to it does not run, or is not ready yet."
        ) from error
    if age > silent_s:
        raise Unavailable(f"The last sign of life in {file} is {age:.0f} s old: it hangs.")
    return age


_of_this_process = Liveness()


def begin(file: Path | None) -> None:
    """Has this process give signs, to systemd too if that started it. Raises InvalidRequest when
    the file cannot be written."""
    global _of_this_process
    # Taken away: no child process may speak for this one.
    _of_this_process = Liveness(os.environ.pop("NOTIFY_SOCKET", ""), file)


def alive() -> None:
    """A sign of life of this process; see `Liveness`."""
    _of_this_process.alive()


def stopping() -> None:
    """This process stops; see `Liveness`."""
    _of_this_process.stopping()

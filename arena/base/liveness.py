"""Liveness signals of this process, for a supervisor that restarts it when they stop.

The supervisor is systemd with a socket in NOTIFY_SOCKET (Type=notify, WatchdogSec=), or a probe of
the age of ARENA_LIVENESS_FILE (`arena probe`). Call `alive` from a loop that stops when the process
no longer works, but not during an outage of Redis or the database, which a restart cannot fix.
"""

import os
import socket
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from arena.base.errors import InvalidRequest, Unavailable

EVERY_S = 1.0  # the least time between two signals
SILENT_S = 30.0  # after which `arena probe` considers a process dead

NEVER = float("-inf")


class Liveness:
    """Sends the signals of a process to systemd at `socket_name`, and to the probe by `file`."""

    def __init__(self, socket_name: str = "", file: Path | None = None) -> None:
        """Raises InvalidRequest if the file cannot be written."""
        self._address = f"\0{socket_name[1:]}" if socket_name.startswith("@") else socket_name
        self._file = file
        self._last = NEVER
        if file is not None:
            _try(file)
        self.take_over()

    def take_over(self) -> None:
        """From now on, only signals from the current thread and process count. A forked child or
        another thread must not report a stalled loop as alive."""
        self._owner = (os.getpid(), threading.get_ident())

    def alive(self) -> None:
        """Sends a signal; call this at least every second. The first one reports readiness."""
        now = time.monotonic()
        if now - self._last < EVERY_S or (os.getpid(), threading.get_ident()) != self._owner:
            return
        if self._file is not None:
            with suppress(OSError):  # such as a full disk: the probe will report it
                self._file.touch()
        self._notify("READY=1\nWATCHDOG=1" if self._last == NEVER else "WATCHDOG=1")
        self._last = now

    def stopping(self) -> None:
        """Reports that the process is shutting down."""
        self._notify("STOPPING=1")

    def _notify(self, state: str) -> None:
        if not self._address:
            return
        # If there is no reader or its buffer is full, the next signal follows soon.
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.setblocking(False)
            systemd.sendto(state.encode(), self._address)


def _try(file: Path) -> None:
    """Checks that the file can be written, and removes the one of an earlier process. Never creates
    the file itself, because a probe would take it for a signal."""
    try:
        with tempfile.TemporaryFile(dir=file.parent):
            file.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidRequest(
            f"ARENA_LIVENESS_FILE {file} cannot be written ({error.strerror}). Name a file in a"
            " folder that this process may write to."
        ) from error


def check(file: Path, silent_s: float, now: float) -> float:
    """The seconds since the process touched this file, at `now` (Unix seconds). Raises Unavailable
    if that is more than `silent_s`, or if there is no file yet."""
    try:
        age = now - file.stat().st_mtime
    except OSError as error:
        raise Unavailable(
            f"There is no liveness signal in {file} ({error.strerror}). Its process is not running"
            " or not ready yet, or has another ARENA_LIVENESS_FILE."
        ) from error
    if age > silent_s:
        raise Unavailable(
            f"The last liveness signal in {file} is {age:.0f} s old. Its process hangs."
        )
    return age


_of_this_process = Liveness()


def begin(file: Path | None) -> None:
    """Enables the signals of this process, also to systemd if that started it. Raises
    InvalidRequest if the file cannot be written."""
    global _of_this_process
    # Removed from the environment, so that no child process signals for this one.
    _of_this_process = Liveness(os.environ.pop("NOTIFY_SOCKET", ""), file)


def alive() -> None:
    """Sends a signal of this process; see `Liveness`."""
    _of_this_process.alive()


def stopping() -> None:
    """Reports that this process is shutting down."""
    _of_this_process.stopping()

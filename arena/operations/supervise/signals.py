"""Handles SIGINT, SIGTERM and SIGHUP.

A handler that raised immediately could interrupt the supervisor after it started a process and
before it recorded it, and so leave that process behind. The first signal is therefore only
recorded, and raised where the supervisor checks for it. A second signal stops everything at once.
Signals, and the end of a child process, also end a `wait`.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Collection
from types import FrameType
from typing import Any

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

MOST_AT_ONCE = 1024  # bytes, one for each signal


class Interrupted(Exception):
    """The supervisor received the stop signal `signal`."""

    def __init__(self, number: int) -> None:
        self.signal = signal.Signals(number)
        super().__init__(f"stopped by {self.signal.name}")

    @property
    def status(self) -> int:
        """The exit status that a shell would report: 130 for Ctrl-C."""
        return 128 + self.signal


class StopSignals:
    """Context manager that records SIGINT, SIGTERM and SIGHUP. A second one calls `at_once` and
    exits."""

    def __init__(
        self, at_once: Callable[[], None], numbers: Collection[signal.Signals] = STOPPING
    ) -> None:
        self._at_once = at_once
        self._numbers = numbers
        self._received: int | None = None
        self._before: dict[int, Any] = {}
        self._wakeup, self._written = -1, -1

    def __enter__(self) -> StopSignals:
        self._wakeup, self._written = os.pipe()
        os.set_blocking(self._written, False)
        self._woken_before = signal.set_wakeup_fd(self._written, warn_on_full_buffer=False)
        for number in self._numbers:
            self._before[number] = signal.signal(number, self._note)
        self._before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, _ignore)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._woken_before)
        os.close(self._wakeup)
        os.close(self._written)

    def wait(self, seconds: float) -> bool:
        """Wait this long, or until a signal arrives or a child process ends; then return True."""
        woken, _, _ = select.select([self._wakeup], [], [], seconds)
        return bool(woken and os.read(self._wakeup, MOST_AT_ONCE))

    def check(self) -> None:
        """Raise Interrupted if a signal has been received."""
        if self._received is not None:
            raise Interrupted(self._received)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._received is not None:
            self._at_once()
            os._exit(128 + number)
        self._received = number


def _ignore(number: int, frame: FrameType | None) -> None:
    """Does nothing: only signals with a handler end `StopSignals.wait`."""

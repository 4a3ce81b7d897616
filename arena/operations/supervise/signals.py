"""Handles SIGINT, SIGTERM and SIGHUP.

A handler that raised immediately could interrupt the supervisor after it started a process and
before it recorded it, and so leave that process behind. The first signal is therefore only
recorded, and raised where the supervisor checks for it. A second signal stops everything at once.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Collection
from types import FrameType, TracebackType
from typing import Any

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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

    def __enter__(self) -> StopSignals:
        for number in self._numbers:
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Raise Interrupted if a signal has been received."""
        if self._received is not None:
            raise Interrupted(self._received)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._received is not None:
            self._at_once()
            os._exit(128 + number)
        self._received = number

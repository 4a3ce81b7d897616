"""Ctrl-C and its relatives.

A handler that raised at once could do so between starting a process and noting it, and leave
that process behind. So the first signal is only noted, and raised where the supervisor says it
is safe. The second means now.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(Exception):
    """Somebody asked the supervisor to stop; `signal` says how."""

    def __init__(self, number: int) -> None:
        self.signal = signal.Signals(number)
        super().__init__(f"stopped by {self.signal.name}")

    @property
    def status(self) -> int:
        """The exit status a shell would report: 130 for Ctrl-C."""
        return 128 + self.signal


class StopSignals:
    """While entered, notes SIGINT, SIGTERM and SIGHUP; a second one calls `at_once`, then exits."""

    def __init__(self, at_once: Callable[[], None]) -> None:
        self._at_once = at_once
        self._received: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopSignals:
        for number in STOPPING:
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
        """Raises Interrupted when a signal came."""
        if self._received is not None:
            raise Interrupted(self._received)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._received is not None:
            self._at_once()
            os._exit(128 + number)
        self._received = number

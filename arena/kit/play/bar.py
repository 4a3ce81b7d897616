"""A progress bar on stderr, if it is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from arena.base.text import duration

T = TypeVar("T")

WIDTH = 30
EVERY_S = 0.1


def say(sentence: str) -> None:
    """Write a line to stderr, above the bar."""
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{clear}{sentence}\n")
    sys.stderr.flush()


class Bar:
    """Context manager that shows how many of `total` matches are played."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._begun = time.monotonic()
        self._shown = 0.0
        self._visible = sys.stderr.isatty()

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._write("")

    def over(self, played: Iterable[T], words: Callable[[], str] = str) -> Iterator[T]:
        """Yield the matches and count each. `words` replaces the remaining time."""
        for match in played:
            self._done += 1
            now = time.monotonic()
            if self._visible and now - self._shown >= EVERY_S:
                self._shown = now
                self._write(self._line(now - self._begun, words()))
            yield match

    def _line(self, seconds: float, words: str) -> str:
        filled = WIDTH * self._done // max(self._total, 1)
        speed = self._done / max(seconds, 1e-9)
        left = words or f"{duration((self._total - self._done) / max(speed, 1e-9))} left"
        return (
            f"[{'#' * filled}{'.' * (WIDTH - filled)}] {self._done:,}/{self._total:,} matches, "
            f"{speed:,.1f}/s, {left}"
        )

    def _write(self, line: str) -> None:
        if self._visible:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()

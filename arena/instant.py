"""A reading of both clocks, for code that is given the time instead of reading it."""

from __future__ import annotations

import time
from typing import NamedTuple


class Instant(NamedTuple):
    """One moment. Durations are measured on `monotonic`; `unix` is what gets stored and shown."""

    monotonic: float  # seconds since an arbitrary start
    unix: float  # seconds since 1970


def read_clock() -> Instant:
    """This moment."""
    return Instant(time.monotonic(), time.time())


def overlap(began: float, since: float, until: float) -> float:
    """How much of the time from `since` to `until` came after `began` (all seconds)."""
    return max(0.0, until - max(since, began))

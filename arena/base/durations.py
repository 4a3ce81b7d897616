"""Durations as text. Babel prints only the largest unit, and humanize prints all of them."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """A duration in its two largest units: "2 min 5 s"."""
    left = max(0, round(seconds))
    if left < 60:
        return f"{left} s"
    if left < 3600:
        return f"{left // 60} min {left % 60} s"
    if left < 86400:
        return f"{left // 3600} h {left % 3600 // 60} min"
    return f"{left // 86400} d {left % 86400 // 3600} h"


def latency(microseconds: float) -> str:
    """A response time: "40 ms"."""
    if microseconds < 1000:
        return f"{microseconds:.0f} µs"
    if microseconds < 1_000_000:
        return f"{microseconds / 1000:.1f}".removesuffix(".0") + " ms"
    return f"{microseconds / 1e6:.1f}".removesuffix(".0") + " s"

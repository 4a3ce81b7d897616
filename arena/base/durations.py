"""Lengths of time in words.

By hand: Babel says only the largest unit ("2 min") and knows weeks, humanize writes all of them
out ("2 minutes and 5 seconds").
"""

from __future__ import annotations


def duration(seconds: float) -> str:
    """A length of time in its largest unit and the next: "2 min 5 s"."""
    left = max(0, round(seconds))
    if left < 60:
        return f"{left} s"
    if left < 3600:
        return f"{left // 60} min {left % 60} s"
    if left < 86400:
        return f"{left // 3600} h {left % 3600 // 60} min"
    return f"{left // 86400} d {left % 86400 // 3600} h"


def latency(microseconds: float) -> str:
    """How long an answer took: "40 ms"."""
    if microseconds < 1000:
        return f"{microseconds:.0f} µs"
    if microseconds < 1_000_000:
        return f"{microseconds / 1000:.1f}".removesuffix(".0") + " ms"
    return f"{microseconds / 1e6:.1f}".removesuffix(".0") + " s"

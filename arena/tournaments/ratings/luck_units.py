"""What of luck needs no NumPy: an author's installation has none."""

from __future__ import annotations

HALF = 1024  # units to a half-point
GAME = 2 * HALF  # units to a score of 1
MOST = 2 * GAME  # no pair has more, since an event moves an expected score by less than 1
SAMPLE = 1000  # matches that tell whether it saves matches to take luck out


def may_help(matches: int, low: float | None) -> bool:
    """Whether it may save matches to take luck out: unless the interval of the factor, which begins
    at `low`, reaches down to 1 although the luck of many matches is known."""
    return matches < SAMPLE or low is None or low > 1

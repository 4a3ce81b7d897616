"""The colours of heat maps: CSS classes from heat-m4 (below the middle) to heat-p4 (above).

Every cell also shows its number, so that nothing is shown by colour alone.
"""

from __future__ import annotations

LEVELS = 4
SCORE_SPAN = 0.32  # scores from .18 to .82 use all colours; few pairs differ by more


def heat(value: float, middle: float, span: float) -> str:
    """Return the class for a value; at `span` from the middle or more, the colour is full."""
    level = round(LEVELS * min(max((value - middle) / span, -1.0), 1.0))
    if not level:
        return "heat"
    return f"heat heat-{'p' if level > 0 else 'm'}{abs(level)}"


def score_heat(score: float) -> str:
    """Return the class for a score from 0 to 1."""
    return heat(score, 0.5, SCORE_SPAN)


def chance_heat(chance: float) -> str:
    """Return the class for a probability."""
    return heat(chance, 0.5, 0.5)


def residual_heat(residual: float | None) -> str:
    """Return the class for a residual, with one level per standard error."""
    return heat(residual or 0.0, 0.0, LEVELS)


def chance(probability: float) -> str:
    """Return a probability in percent that is never 0 or 100: "99.7", ">99.9"."""
    percent = 100.0 * probability
    if percent > 99.9:
        return ">99.9"
    if percent < 0.1:
        return "<0.1"
    return f"{percent:.1f}" if not 1.0 <= percent <= 99.0 else f"{percent:.0f}"

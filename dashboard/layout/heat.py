"""The colours of heat maps: classes of the stylesheet, from heat-m4 (below) to heat-p4 (above).

What is in the middle has no colour. A number stands in every cell, so that nothing is shown by
colour alone.
"""

from __future__ import annotations

LEVELS = 4
SCORE_SPAN = 0.32  # scores from .18 to .82 use all colours; few bots differ by more


def heat(value: float, middle: float, span: float) -> str:
    """The class for a value; at `span` away from the middle, and beyond, the colour is full."""
    level = round(LEVELS * min(max((value - middle) / span, -1.0), 1.0))
    if not level:
        return "heat"
    return f"heat heat-{'p' if level > 0 else 'm'}{abs(level)}"


def score_heat(score: float) -> str:
    """The class for a score from 0 to 1."""
    return heat(score, 0.5, SCORE_SPAN)


def chance_heat(chance: float) -> str:
    """The class for a probability."""
    return heat(chance, 0.5, 0.5)


def residual_heat(residual: float | None) -> str:
    """The class for a residual: a level for each standard error; none for one that is not known."""
    return heat(residual or 0.0, 0.0, LEVELS)


def chance(probability: float) -> str:
    """A probability in percent that never says 0 or 100: "99.7", ">99.9"."""
    percent = 100.0 * probability
    if percent > 99.9:
        return ">99.9"
    if percent < 0.1:
        return "<0.1"
    return f"{percent:.1f}" if not 1.0 <= percent <= 99.0 else f"{percent:.0f}"

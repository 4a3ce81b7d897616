"""How far apart two must be for all comparisons in a table to hold at once.

A 95% interval of each difference by itself leaves 5 of 100 true statements out, so among the 780
pairs of forty bots some are wrong. Tukey's method asks how large the largest of all differences
gets by chance: of P equally well known bots, of equal strength, the greatest difference in
standard errors lies below `critical(P)` in 95 of 100 cases. It is exact for equal errors and
errs to the safe side for others (Tukey-Kramer; Hayter 1984).
"""

from __future__ import annotations

from functools import lru_cache
from math import pi, sqrt

import numpy as np

CONFIDENCE = 0.95
GRID = np.linspace(-9.0, 9.0, 3601)
DENSITY = np.exp(-(GRID**2) / 2) / sqrt(2 * pi)
BELOW = np.cumsum(DENSITY) * (GRID[1] - GRID[0])
BELOW -= DENSITY * (GRID[1] - GRID[0]) / 2  # the trapezoid's half


@lru_cache(maxsize=256)
def critical(players: int) -> float:
    """In standard errors of a difference; 1.96 for two players, 3.89 for forty."""
    low, high = 0.0, 20.0
    count = max(players, 2)
    for _ in range(50):
        middle = (low + high) / 2
        if _all_within(count, middle * sqrt(2)) < CONFIDENCE:
            low = middle
        else:
            high = middle
    return high


def _all_within(count: int, width: float) -> float:
    """The probability that so many normal numbers lie within `width` of each other."""
    # By the largest of them: all others lie below it, but not by more than the width.
    behind = np.interp(GRID - width, GRID, BELOW, left=0.0)
    inside = count * DENSITY * (BELOW - behind) ** (count - 1)
    return float(inside.sum() * (GRID[1] - GRID[0]))

"""Critical distances for comparing all pairs of a table at once.

With a separate 95% interval for each difference, 5 of 100 true statements fall outside, so some of
the 780 pairs of forty bots are wrong. Tukey's method considers the largest difference: among P
equally strong and equally well-known bots, the greatest difference in standard errors is below
`critical(P)` in 95 of 100 cases. It is exact for equal errors and conservative for others
(Tukey-Kramer; Hayter 1984).
"""

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
    """Returns the critical distance in standard errors: 1.96 for two players, 3.89 for forty."""
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
    """Returns the probability that `count` normal numbers lie within `width` of each other."""
    # Integrates over the largest: all others are below it, by at most the width.
    behind = np.interp(GRID - width, GRID, BELOW, left=0.0)
    inside = count * DENSITY * (BELOW - behind) ** (count - 1)
    return float(inside.sum() * (GRID[1] - GRID[0]))

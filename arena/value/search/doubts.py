"""What the error of end values does to a mean score, and to the difference of two of them.

A net that is wrong about one end of a round is about as wrong about an end with nearly the same
points: more samples do not average that away. So ends are put into cells of a few points for each
seat. Within a cell the net has one error, in different cells independent ones. With shares p of the
ends in each cell, a mean score has the variance r² Σ p², where r is the root mean square error of
the net; the difference of two actions has r² Σ (p - q)², as what both have in common falls out.
Scores of finished matches are exact.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.value.search.rollouts import RoundEnds

Keys: TypeAlias = npt.NDArray[np.int64]  # which cell each end is in; -1 where the match is over

CELL: Final = 5  # points of each seat
MOST: Final = 64  # cells along the points of a seat


def keys_of(ends: RoundEnds) -> Keys:
    """(N,): the cells of ends."""
    cells = np.clip(ends.points.astype(np.int64) // CELL, 0, MOST - 1)
    keys: Keys = cells @ MOST ** np.arange(cells.shape[1], dtype=np.int64)
    keys[ends.finished] = -1
    return keys


def doubt(one: Keys, other: Keys | None = None) -> float:
    """Σ p², or Σ (p - q)², of the shares of ends (S,) in each cell.

    It is estimated from pairs of different states, as equal ends of one state are no coincidence:
    so it has no bias, and may be a little below 0.
    """
    if other is None:
        return _together(one, one)
    return _together(one, one) + _together(other, other) - 2 * _together(one, other)


def _together(one: Keys, other: Keys) -> float:
    """How often ends of two different states are in the same cell."""
    size = len(one)
    kinds, places = np.unique(np.concatenate((one, other)), return_inverse=True)
    counts = [np.bincount(half, minlength=len(kinds)) for half in np.split(places, [size])]
    exact = kinds < 0
    same = np.where(exact, 0, counts[0] * counts[1]).sum() - ((one == other) & (one >= 0)).sum()
    return float(same) / (size * (size - 1))

"""The effect of errors in end values on a mean score, and on the difference of two mean scores.

A model has almost the same error at two ends of a round with nearly the same points. More samples
do not average it away. So ends are grouped into cells of a few points for each seat. The model is
assumed to have one error within a cell, and independent errors in different cells. With shares p of
the ends in each cell, a mean score has the variance r² Σ p², where r is the root mean square error
of the model. The difference of two actions has r² Σ (p - q)². Scores of finished matches are exact.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.value.search.rollouts import RoundEnds

Doubles: TypeAlias = npt.NDArray[np.float64]
Keys: TypeAlias = npt.NDArray[np.int64]  # the cell of each end; -1 if the match is over

CELL: Final = 5  # width of a cell, in points of each seat
MOST: Final = 64  # number of cells along the points of a seat


def keys_of(ends: RoundEnds) -> Keys:
    """Return the cells of ends (N,)."""
    cells = np.clip(ends.points.astype(np.int64) // CELL, 0, MOST - 1)
    keys: Keys = cells @ MOST ** np.arange(cells.shape[1], dtype=np.int64)
    keys[ends.finished] = -1
    return keys


def doubts(ends: Keys, reference: int) -> tuple[Doubles, Doubles]:
    """Return Σ p² (A,) and Σ (p - q)² (A,) for actions with these ends (A, S) in the same states.

    q are the shares of action number `reference`. The estimates use only pairs of different states,
    since ends of the same state are not independent. They are unbiased and can be slightly below 0.
    """
    actions, states = ends.shape
    kinds, cells = np.unique(ends, return_inverse=True)
    numbers = cells.reshape(ends.shape) + np.arange(actions)[:, None] * len(kinds)
    counts = np.bincount(numbers.ravel(), minlength=actions * len(kinds)).reshape(actions, -1)
    counts = counts * (kinds >= 0.0)
    own = (counts**2).sum(axis=1) - (ends >= 0).sum(axis=1)
    both = counts @ counts[reference] - ((ends == ends[reference]) & (ends >= 0)).sum(axis=1)
    pairs = states * (states - 1)
    return own / pairs, (own + own[reference] - 2 * both) / pairs

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

Doubles: TypeAlias = npt.NDArray[np.float64]
Keys: TypeAlias = npt.NDArray[np.int64]  # which cell each end is in; -1 where the match is over

CELL: Final = 5  # points of each seat
MOST: Final = 64  # cells along the points of a seat


def keys_of(ends: RoundEnds) -> Keys:
    """(N,): the cells of ends."""
    cells = np.clip(ends.points.astype(np.int64) // CELL, 0, MOST - 1)
    keys: Keys = cells @ MOST ** np.arange(cells.shape[1], dtype=np.int64)
    keys[ends.finished] = -1
    return keys


def doubts(ends: Keys, reference: int) -> tuple[Doubles, Doubles]:
    """Of actions with these ends (A, S) in the same states: Σ p² of the shares of ends in each
    cell (A,), and Σ (p - q)², where q are those of action number `reference` (A,).

    They are estimated from pairs of different states, as equal ends of one state are no
    coincidence: so they have no bias, and may be a little below 0.
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

"""What the end of a round is worth to every seat."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arena.batch.arrays import Int8
from arena.value.search.rollouts import RoundEnds

Float: TypeAlias = npt.NDArray[np.float64]

SCALE = 10.0  # points by which one is ahead, for a pair score of about .73


def scores(ends: RoundEnds, seats: Int8) -> Float:
    """The expected mean pair score of these seats (N,) against the others, in [0, 1]: (N,)."""
    everyone = np.arange(len(seats))
    lead = ends.points - ends.points[everyone, seats][:, None].astype(np.float64)
    open_pairs = 1 / (1 + np.exp(-lead / SCALE))
    decided = (np.sign(lead) + 1) / 2
    pairs: Float = np.where(ends.finished[:, None], decided, open_pairs)
    pairs[everyone, seats] = 0.0
    mean: Float = pairs.sum(axis=1) / (ends.points.shape[1] - 1)
    return mean

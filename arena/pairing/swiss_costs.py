"""What it costs in Swiss that two bots sit at one table: having met, then standing far apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Pairs = Counter[tuple[int, int]]  # how often two entrants have met; the lower one comes first
Matrix = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Costs:
    """By two places in the ranking (0 is the first), what it costs to seat them together.

    Two who have met m times cost m squared times `repeat`, so that a third meeting counts more
    than a second, and besides this the square of the distance between their places. `repeat` is
    more than all distances of a round together: fewer repeats always come first. Whole numbers
    throughout, so that every machine finds the same tables.
    """

    pairs: Matrix
    repeat: int
    size: int  # of a table

    @property
    def playing(self) -> int:
        """How many bots are to be seated."""
        return len(self.pairs)


def costs(ranking: Sequence[int], size: int, met: Pairs) -> Costs:
    """For entrants in the order of the ranking, at tables of `size`."""
    place = {entrant: at for at, entrant in enumerate(ranking)}
    again = np.zeros((len(ranking), len(ranking)), np.int64)
    for (one, other), times in met.items():
        if one in place and other in place:
            again[place[one], place[other]] = again[place[other], place[one]] = times**2
    places = np.arange(len(ranking), dtype=np.int64)
    apart = (places[:, None] - places) ** 2
    repeat = 1 + len(ranking) * (size - 1) // 2 * (len(ranking) - 1) ** 2
    return Costs(again * repeat + apart, repeat, size)

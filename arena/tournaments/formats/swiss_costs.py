"""What it costs in Swiss that two bots sit at one table: being siblings, having met, and then
standing far apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Pairs = Counter[tuple[int, int]]  # how often two entrants have met; the lower one comes first
Matrix = NDArray[np.int64]

MOST = 2**56  # that a round may cost, so that sums of costs have room in 64 bits


@dataclass(frozen=True, slots=True)
class Costs:
    """By two places in the ranking (0 is the first), what it costs to seat them together.

    Two who have met m times cost m squared times `repeat`, so that a third meeting counts more
    than a second, and besides this the square of the distance between their places. `repeat` is
    more than all distances of a round together: fewer repeats always come first. Siblings that
    are to be kept apart cost `sibling` times `repeat`, which is more than all else in a round.
    Whole numbers throughout, so that every machine finds the same tables.
    """

    pairs: Matrix
    repeat: int
    size: int  # of a table
    authors: tuple[int, ...] = ()  # by place, to be kept apart; empty: nobody
    sibling: int = 0

    @property
    def playing(self) -> int:
        """How many bots are to be seated."""
        return len(self.pairs)


def costs(ranking: Sequence[int], size: int, met: Pairs, authors: Sequence[int] = ()) -> Costs:
    """For entrants in the order of the ranking, at tables of `size`; `authors` are by entrant."""
    place = {entrant: at for at, entrant in enumerate(ranking)}
    again = np.zeros((len(ranking), len(ranking)), np.int64)
    for (one, other), times in met.items():
        if one in place and other in place:
            again[place[one], place[other]] = again[place[other], place[one]] = times**2
    places = np.arange(len(ranking), dtype=np.int64)
    apart = (places[:, None] - places) ** 2
    meetings = len(ranking) * (size - 1) // 2  # in a round
    repeat = 1 + meetings * (len(ranking) - 1) ** 2
    if not authors:
        return Costs(again * repeat + apart, repeat, size)
    # So many repeats as would be too many are all the same.
    again = np.minimum(again, (MOST // (meetings * repeat) - 2) // (meetings + 1))
    sibling = 1 + meetings * int(again.max())
    by = np.array([authors[entrant] for entrant in ranking])
    again += sibling * ((by[:, None] == by) & (places[:, None] != places))
    return Costs(again * repeat + apart, repeat, size, tuple(by.tolist()), sibling)

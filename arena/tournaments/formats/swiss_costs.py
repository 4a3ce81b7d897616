"""Costs of seating two bots at one Swiss table: siblings, repeated meetings, distance in rank."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Pairs = Counter[tuple[int, int]]  # meetings of two entrants, the lower one first
Matrix = NDArray[np.int64]

MOST = 2**56  # maximum cost of a round, so that sums of costs fit into 64 bits


@dataclass(frozen=True, slots=True)
class Costs:
    """The cost of seating two together, by their places in the ranking (from 0): `pairs`, (N, N).

    Two bots that have met m times cost `repeat` times m squared, plus the squared distance of
    their places. The square makes a third meeting worse than a second. `repeat` exceeds the sum of
    all distances of a round, so fewer repeats always come first. Siblings that are kept apart cost
    an additional `sibling` times `repeat`, more than everything else in a round. All costs are
    whole numbers, so every machine finds the same tables.
    """

    pairs: Matrix
    repeat: int
    size: int  # of a table
    authors: tuple[int, ...] = ()  # by place, to be kept apart; empty if none
    sibling: int = 0

    @property
    def playing(self) -> int:
        """Number of bots to seat."""
        return len(self.pairs)


def costs(ranking: Sequence[int], size: int, met: Pairs, authors: Sequence[int] = ()) -> Costs:
    """Returns costs for a ranking of entrants at tables of `size`. `authors` are by entrant."""
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
    # Cap repeats so that costs fit; more repeats than the cap all count the same.
    again = np.minimum(again, (MOST // (meetings * repeat) - 2) // (meetings + 1))
    sibling = 1 + meetings * int(again.max())
    by = np.array([authors[entrant] for entrant in ranking])
    again += sibling * ((by[:, None] == by) & (places[:, None] != places))
    return Costs(again * repeat + apart, repeat, size, tuple(by.tolist()), sibling)

"""Which players the results connect: whose differences in strength they can tell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.tournaments.ratings.solve import Floats


def components(wins: Floats) -> list[list[int]]:
    """The sets of players between whom wins (P, P) lead both ways, largest first.

    Within such a set all differences are finite without the ghost. A tie is half a win for
    either. Who only ever lost, or only won, is a set by themselves.
    """
    forth = _reachable(wins > 0)
    both = forth & forth.T
    left = set(range(len(wins)))
    sets: list[list[int]] = []
    while left:
        first = min(left)
        members = [int(member) for member in np.flatnonzero(both[first])]
        sets.append(members)
        left.difference_update(members)
    return sorted(sets, key=lambda members: (-len(members), members[0]))


def _reachable(step: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """From each player, who is reached by any number of steps, themselves included."""
    size = len(step)
    paths = step | np.eye(size, dtype=bool)
    length = 1
    while length < size:
        # In single precision the counts of paths are inexact, but never wrongly zero.
        paths = paths.astype(np.float32) @ paths.astype(np.float32) > 0
        length *= 2
    return paths

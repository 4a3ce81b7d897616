"""Vectorised versions of the sums of `deal_sums` and `variance`, for many deals at once.

A block has deals with the same numbers of matches and seats. Deals in which all matches have the
same players, as in rotations, are summed together. Other deals are summarised one by one, by the
functions that define the sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from arena.tournaments.ratings.deal_sums import FORFEITED, Integers, SeatResults

Booleans = NDArray[np.bool_]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class DealBlock:
    """D deals of m matches at n seats. `players`, `points` and `forfeited` are (D, m, n)."""

    players: Integers
    points: Integers
    forfeited: Booleans

    @cached_property
    def rotations(self) -> Booleans:
        """Whether all matches of a deal have the same players, (D,)."""
        seated = np.sort(self.players, axis=2)
        return np.asarray((seated == seated[:, :1]).all(axis=(1, 2)))

    @property
    def places(self) -> Integers:
        """A number that is lower for a better place, as in `deal_sums`, (D, m, n)."""
        return np.asarray(self.points + FORFEITED * self.forfeited)

    def of(self, chosen: Booleans) -> DealBlock:
        """Returns the deals for which `chosen` (D,) is true."""
        return DealBlock(self.players[chosen], self.points[chosen], self.forfeited[chosen])

    def deals(self) -> Iterator[list[SeatResults]]:
        """Yields each deal as a list of its matches."""
        columns = (self.players.tolist(), self.points.tolist(), self.forfeited.tolist())
        for matches in zip(*columns, strict=True):
            yield [SeatResults(*match) for match in zip(*matches, strict=True)]


@dataclass(frozen=True)
class Rotations:
    """The contribution of D deals of m matches among the same n players to the sums.

    `players` (D, n) are ascending, `points` (D, n) are by seat. In half-points: `won`
    (D, n(n-1)/2) by pair over a deal, `halves` (D, n) over all opponents, and `match_squares`
    (D, n), the sum over matches of squared half-points.
    """

    matches: int
    players: Integers
    won: Integers
    halves: Integers
    match_squares: Integers
    points: Integers

    @property
    def products(self) -> Integers:
        """s_i s_j for i <= j, (D, n(n+1)/2)."""
        pairs = combinations_with_replacement(range(self.players.shape[1]), 2)
        return np.stack([self.halves[:, i] * self.halves[:, j] for i, j in pairs], axis=1)


def rotations(block: DealBlock) -> Rotations:
    """Returns the sums of deals in which all matches have the same players."""
    order = np.argsort(block.players, axis=2)
    places = np.take_along_axis(block.places, order, axis=2)
    _, matches, seats = places.shape
    by_match = np.zeros_like(places)
    won = []
    for i, j in combinations(range(seats), 2):
        mine, theirs = places[:, :, i], places[:, :, j]
        halves = 2 * (mine < theirs) + (mine == theirs)
        by_match[:, :, i] += halves
        by_match[:, :, j] += 2 - halves
        won.append(halves.sum(axis=1))
    return Rotations(
        matches,
        np.take_along_axis(block.players[:, 0], order[:, 0], axis=1),
        np.stack(won, axis=1),
        by_match.sum(axis=1),
        (by_match**2).sum(axis=1),
        block.points.sum(axis=1),
    )


def sums_of_equal(keys: Bytes, values: Integers) -> tuple[list[bytes], Integers, Integers]:
    """Adds up the `values` (D, V) of equal `keys` (D, L). Returns the different keys (T,),
    ascending, the number of rows of each (T,), and the sums (T, V)."""
    packed = np.ascontiguousarray(keys).view(f"V{keys.shape[1]}").ravel()
    different, group, rows = np.unique(packed, return_inverse=True, return_counts=True)
    if len(different) == len(packed):
        order = np.argsort(group)
        return different.tolist(), rows, values[order]
    order = np.argsort(group, kind="stable")
    sums = np.add.reduceat(values[order], np.cumsum(rows) - rows, axis=0)
    return different.tolist(), rows, sums


def big_endian(columns: Integers, kind: str) -> Bytes:
    """Returns whole numbers (D, C) as bytes (D, B) of a NumPy type, `>u4` or `>u2`."""
    packed = np.ascontiguousarray(columns.astype(kind))
    return packed.view(np.uint8).reshape(len(columns), -1)

"""Many deals added up at once: the sums of `deal_sums` and of `variance`, as arrays.

Deals of equally many matches and seats make a block. Where all matches of a deal have the same
players, as rotations do, its sums are calculated for all deals of the block together; a deal whose
players differ from match to match is summarised by itself, by the functions that say what the
sums are.
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
    """D deals of m matches at n seats: `players`, `points` and `forfeited` are (D, m, n)."""

    players: Integers
    points: Integers
    forfeited: Booleans

    @cached_property
    def rotations(self) -> Booleans:
        """(D,): whether all matches of a deal have the same players."""
        seated = np.sort(self.players, axis=2)
        return np.asarray((seated == seated[:, :1]).all(axis=(1, 2)))

    @property
    def places(self) -> Integers:
        """(D, m, n): a number that is lower for a better place, as in `deal_sums`."""
        return np.asarray(self.points + FORFEITED * self.forfeited)

    def of(self, chosen: Booleans) -> DealBlock:
        """Those deals for which `chosen` (D,) is true."""
        return DealBlock(self.players[chosen], self.points[chosen], self.forfeited[chosen])

    def deals(self) -> Iterator[list[SeatResults]]:
        """One deal after the other, each as its matches."""
        columns = (self.players.tolist(), self.points.tolist(), self.forfeited.tolist())
        for matches in zip(*columns, strict=True):
            yield [SeatResults(*match) for match in zip(*matches, strict=True)]


@dataclass(frozen=True)
class Rotations:
    """What D deals of m matches among the same n players add to the sums.

    `players` (D, n) are ascending; in half-points, `won` (D, n(n-1)/2) by pair over a deal,
    `halves` (D, n) over all opponents, `match_squares` (D, n) the sum of the squares of each
    match's; `points` (D, n) are by seat.
    """

    matches: int
    players: Integers
    won: Integers
    halves: Integers
    match_squares: Integers
    points: Integers

    @property
    def products(self) -> Integers:
        """(D, n(n+1)/2): s_i s_j for i <= j."""
        pairs = combinations_with_replacement(range(self.players.shape[1]), 2)
        return np.stack([self.halves[:, i] * self.halves[:, j] for i, j in pairs], axis=1)


def rotations(block: DealBlock) -> Rotations:
    """The sums of deals whose matches have the same players each."""
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
    """Adds up the `values` (D, V) of equal `keys` (D, L): the different keys, ascending (T,), how
    many rows each has (T,), and the sums (T, V)."""
    packed = np.ascontiguousarray(keys).view(f"V{keys.shape[1]}").ravel()
    different, group, rows = np.unique(packed, return_inverse=True, return_counts=True)
    if len(different) == len(packed):
        order = np.argsort(group)
        return different.tolist(), rows, values[order]
    order = np.argsort(group, kind="stable")
    sums = np.add.reduceat(values[order], np.cumsum(rows) - rows, axis=0)
    return different.tolist(), rows, sums


def big_endian(columns: Integers, kind: str) -> Bytes:
    """(D, C) whole numbers as the bytes (D, B) of that NumPy type, `>u4` or `>u2`."""
    packed = np.ascontiguousarray(columns.astype(kind))
    return packed.view(np.uint8).reshape(len(columns), -1)

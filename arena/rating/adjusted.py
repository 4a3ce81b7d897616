"""The sums of `deal_sums` with the luck of matches taken out of their scores.

Adjusted half-points are h - L, with L the luck of the pair in half-points. Kept is not their sum
but by how much it differs from that of the half-points themselves, in whole units (`match_luck`):
the sums of what was played stay as they are, what corrects them stands beside, and a deal of which
the luck is not known yet counts with its plain scores until it is. The shift of one deal is

    h_ij:     -L_ij                        in 1024ths of a half-point
    h_ij^2:   (h - L)^2 - h^2              in 1024^2ths
    s_i s_j:  the same of the products     in 1024^2ths

Adjusted scores may be below 0 or above 1. Bradley-Terry equations take them as they are: they are
linear in the scores, so the ratings at which everybody scores what was to be expected estimate the
same as before, with less scatter; and the scatter is measured from the deals, not assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement

import numpy as np

from arena.rating.deal_blocks import DealBlock
from arena.rating.deal_sums import (
    Composition,
    DealGroup,
    Integers,
    SeatResults,
    add_to,
    group,
    pair_columns,
    summarise,
)
from arena.rating.deal_sums import Sums as DealSums
from arena.rating.match_luck import HALF, matrix


@dataclass(frozen=True)
class LuckyBlock:
    """Deals, and the luck (D, m, n(n-1)/2) of each of their matches, by pair of seats."""

    deals: DealBlock
    luck: Integers


@dataclass(frozen=True)
class Adjusted:
    """D deals of m matches among the same n players: in units, `won` (D, n(n-1)/2) by pair of
    players, `halves` (D, n) over all opponents, both with the luck taken out, and `luck` (D, n)
    of each player over all opponents."""

    won: Integers
    halves: Integers
    luck: Integers


def adjusted(block: LuckyBlock) -> Adjusted:
    """Of deals whose matches have the same players each (`DealBlock.rotations`)."""
    deals = block.deals
    order = np.argsort(deals.players, axis=2)
    seats = deals.players.shape[2]
    taken = matrix(block.luck, seats)
    taken = np.take_along_axis(taken, order[:, :, :, None], axis=2)
    taken = np.take_along_axis(taken, order[:, :, None, :], axis=3).sum(axis=1)
    places = np.take_along_axis(deals.places, order, axis=2)
    mine, theirs = places[:, :, :, None], places[:, :, None, :]
    halves = (2 * (mine < theirs) + (mine == theirs)).sum(axis=1) * HALF
    halves[:, range(seats), range(seats)] = 0
    score = halves - taken
    one, other = np.triu_indices(seats, 1)
    return Adjusted(score[:, one, other], score.sum(axis=2), taken.sum(axis=2))


def shifts(plain: Integers, products: Integers, block: Adjusted, won: Integers) -> Integers:
    """(D, k(k-1) + k(k+1)/2): the shifts of deals, whose half-points are `won` by pair and `plain`
    by player, with their `products`."""
    columns = combinations_with_replacement(range(plain.shape[1]), 2)
    lucky = np.stack([block.halves[:, i] * block.halves[:, j] for i, j in columns], axis=1)
    return np.hstack(
        [
            block.won - HALF * won,
            block.won**2 - HALF**2 * won**2,
            lucky - HALF**2 * products,
        ]
    )


@dataclass(frozen=True)
class SingleDeal:
    """One deal, whoever played its matches: its composition and plain sums, `halves` (1, k) of
    each player without luck taken out, and what it is with it."""

    composition: Composition
    plain: DealSums
    halves: Integers
    adjusted: Adjusted

    @property
    def shift(self) -> DealSums:
        """What it adds to the shifts of its composition."""
        values = np.array(self.plain.values, dtype=np.int64).reshape(1, -1)
        pairs = len(self.composition.meetings)
        won, products = values[:, :pairs], values[:, 2 * pairs :]
        return DealSums(1, shifts(self.halves, products, self.adjusted, won)[0].tolist())


def single(matches: Sequence[SeatResults], luck: Sequence[Integers]) -> SingleDeal:
    """All matches of a deal, and of each the luck by pair of seats."""
    composition, plain = summarise(matches)
    size = len(composition.players)
    place = {player: at for at, player in enumerate(composition.players)}
    taken = np.zeros((size, size), dtype=np.int64)
    for match, pairs in zip(matches, luck, strict=True):
        seated = combinations([place[player] for player in match.players], 2)
        for (one, other), units in zip(seated, np.asarray(pairs).tolist(), strict=True):
            taken[one, other] += units
            taken[other, one] -= units
    halves = np.zeros((1, size), dtype=np.int64)
    better = []
    columns = zip(pair_columns(size), composition.meetings, plain.values, strict=False)
    for (one, other), met, won in columns:
        halves[0, one] += won
        halves[0, other] += 2 * met - won
        better.append(HALF * won - taken[one, other])
    lucky = taken.sum(axis=1).reshape(1, -1)
    score = Adjusted(np.array([better], dtype=np.int64), HALF * halves - lucky, lucky)
    return SingleDeal(composition, plain, halves, score)


def with_shifts(plain: DealGroup, shift: Integers) -> DealGroup:
    """A group whose values are those of the adjusted scores, in half-points; `shift` has a row for
    each composition. Without any shift it is the same to the bit."""
    if not shift.any():
        return plain
    pairs = plain.meetings.shape[1]
    unit = np.full(plain.values.shape[1], float(HALF**2))
    unit[:pairs] = HALF
    # Whole numbers below 2^53 added before the division: what a rebuild gives, too.
    return replace(plain, values=(plain.values * unit + shift) / unit)


class AdjustedTally:
    """Deals counted in memory, with their luck. The store keeps the same sums in tables."""

    def __init__(self) -> None:
        self._plain: dict[Composition, DealSums] = {}
        self._shifts: dict[Composition, DealSums] = {}

    def add(self, matches: Sequence[SeatResults], luck: Sequence[Integers]) -> None:
        """Counts one deal: all its matches, and of each the luck by pair of seats."""
        deal = single(matches, luck)
        add_to(self._plain, deal.composition, deal.plain)
        add_to(self._shifts, deal.composition, deal.shift)

    def groups(self) -> list[DealGroup]:
        """What `bradley_terry.fit` takes."""
        return [
            with_shifts(plain, np.asarray(shift.values, dtype=np.int64))
            for plain, shift in zip(group(self._plain), group(self._shifts), strict=True)
        ]

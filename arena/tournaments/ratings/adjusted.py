"""The sums of `deal_sums` for luck-adjusted scores.

Adjusted half-points are h - b L, with L the luck of the pair in half-points and b the coefficient
of the deal's fold (`coefficient`). The coefficient b is fitted when ratings are requested, so the
stored sums of h do not change. Additional sums by fold, in whole units (`match_luck`), allow them
to be adjusted for any b:

    s_i                  half-points of a player against all others
    L_ij                 h_ij      becomes  h_ij - b L_ij
    h_ij L_ij, L_ij^2    h_ij^2    becomes  h_ij^2 - 2 b h_ij L_ij + b^2 L_ij^2
    s_i L_j + s_j L_i    s_i s_j   becomes  s_i s_j - b (s_i L_j + s_j L_i) + b^2 L_i L_j
    L_i L_j

A deal counts with its unadjusted scores until its luck is known.

Adjusted scores may be below 0 or above 1. This is valid input to the Bradley-Terry equations, which
are linear in the scores. The estimates keep their mean and have less scatter. The scatter is
measured from the deals, not assumed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np

from arena.tournaments.ratings.coefficient import Floats, LuckRows, coefficients
from arena.tournaments.ratings.deal_blocks import DealBlock, Rotations
from arena.tournaments.ratings.deal_sums import (
    Composition,
    DealGroup,
    Integers,
    SeatResults,
    pair_columns,
    summarise,
)
from arena.tournaments.ratings.deal_sums import Sums as DealSums
from arena.tournaments.ratings.match_luck import HALF, matrix


@dataclass(frozen=True)
class LuckyBlock:
    """Deals, and the luck of each of their matches by pair of seats, (D, m, n(n-1)/2)."""

    deals: DealBlock
    luck: Integers


@dataclass(frozen=True)
class LuckyScores:
    """D deals, each among its k players. In half-points: `won` (D, k(k-1)/2) by pair, `halves`
    (D, k) over all opponents. In units: `luck` (D, k, k) of each player against each other."""

    won: Integers
    halves: Integers
    luck: Integers

    @property
    def by_player(self) -> Integers:
        """The luck of each player over all opponents, (D, k)."""
        return np.asarray(self.luck.sum(axis=2))

    @property
    def sums(self) -> Integers:
        """Each deal's contribution to the sums above, in their order, (D, V)."""
        size = self.halves.shape[1]
        luck, score = self.by_player, self.halves
        pairs = self.luck[:, *np.triu_indices(size, 1)]
        one, other = np.array([*combinations_with_replacement(range(size), 2)]).T
        crossed = score[:, one] * luck[:, other] + score[:, other] * luck[:, one]
        products = luck[:, one] * luck[:, other]
        return np.hstack([score, pairs, self.won * pairs, pairs**2, crossed, products])


def lucky(plain: Rotations, block: LuckyBlock) -> LuckyScores:
    """Returns the scores of deals in which all matches have the same players
    (`DealBlock.rotations`). `plain` is the result of `deal_blocks.rotations` for them."""
    order = np.argsort(block.deals.players, axis=2)
    taken = matrix(block.luck, order.shape[2])
    taken = np.take_along_axis(taken, order[:, :, :, None], axis=2)
    taken = np.take_along_axis(taken, order[:, :, None, :], axis=3).sum(axis=1)
    return LuckyScores(plain.won, plain.halves, taken)


class SingleDeal(NamedTuple):
    """One deal with any players: its composition, unadjusted sums, and scores."""

    composition: Composition
    plain: DealSums
    scores: LuckyScores


def single(matches: Sequence[SeatResults], luck: Sequence[Integers]) -> SingleDeal:
    """Summarises all matches of a deal; `luck` has each match's luck by pair of seats."""
    composition, plain = summarise(matches)
    size = len(composition.players)
    place = {player: at for at, player in enumerate(composition.players)}
    taken = np.zeros((1, size, size), dtype=np.int64)
    for match, pairs in zip(matches, luck, strict=True):
        seated = combinations([place[player] for player in match.players], 2)
        for (one, other), units in zip(seated, np.asarray(pairs).tolist(), strict=True):
            taken[0, one, other] += units
            taken[0, other, one] -= units
    halves = np.zeros((1, size), dtype=np.int64)
    won = plain.values[: len(composition.meetings)]
    columns = zip(pair_columns(size), composition.meetings, won, strict=True)
    for (one, other), met, points in columns:
        halves[0, one] += points
        halves[0, other] += 2 * met - points
    return SingleDeal(composition, plain, LuckyScores(np.array([won]), halves, taken))


@dataclass(frozen=True)
class LuckGroup:
    """The luck of the deals of a DealGroup, in R rows. By row, (R,): `table` is the row there,
    `model` the luck model, and `fold` the fold of `deals` deals. `values` (R, V) are the sums."""

    table: Integers
    model: Integers
    fold: Integers
    deals: Integers
    values: Integers


class LessLuck(NamedTuple):
    """Groups with adjusted values, in half-points. `coefficient` is the mean over the adjusted
    deals, or None if there are none."""

    groups: list[DealGroup]
    coefficient: float | None


def less_luck(plain: Sequence[DealGroup], luck: Sequence[LuckGroup]) -> LessLuck:
    """Fits the coefficients and adjusts the sums. Each combination of luck model, number of seats
    and matches per deal has its own coefficient. Without luck, all values are bit-identical."""
    fitted = [np.ones(len(each.table)) for each in luck]
    strata = [
        np.stack([each.matches_per_deal[rows.table], rows.model], axis=1)
        for each, rows in zip(plain, luck, strict=True)
    ]
    for seats in sorted({each.seats for each in plain}):
        here = [at for at, each in enumerate(plain) if each.seats == seats and len(strata[at])]
        for matches, model in sorted({(*row,) for at in here for row in strata[at].tolist()}):
            chosen = {at: (strata[at] == (matches, model)).all(axis=1) for at in here}
            rows = [_rows(plain[at], luck[at]).take(mask) for at, mask in chosen.items()]
            by_fold = coefficients(rows, seats, matches)
            for at, mask in chosen.items():
                fitted[at][mask] = by_fold[luck[at].fold[mask]]
    deals = sum(int(each.deals.sum()) for each in luck)
    total = sum(float(b @ each.deals) for b, each in zip(fitted, luck, strict=True))
    moved = [_moved(*each) for each in zip(plain, luck, fitted, strict=True)]
    return LessLuck(moved, total / deals if deals else None)


def width(size: int) -> int:
    """Returns the number of sums of a deal of `size` players."""
    return size + 3 * (size * (size - 1) // 2) + size * (size + 1)


def _columns(size: int, values: Integers) -> list[Floats]:
    """Returns the columns of `LuckyScores.sums`, luck in half-points."""
    pairs, products = size * (size - 1) // 2, size * (size + 1) // 2
    ends = np.cumsum([size, pairs, pairs, pairs, products])
    units = (1, HALF, HALF, HALF**2, HALF, HALF**2)
    return [part / unit for part, unit in zip(np.split(values, ends, axis=1), units, strict=True)]


def _rows(plain: DealGroup, luck: LuckGroup) -> LuckRows:
    size = plain.players.shape[1]
    halves, pairs, _, _, crossed, products = _columns(size, luck.values)
    games = np.zeros_like(plain.players)
    by_player = np.zeros(halves.shape)
    for column, (one, other) in enumerate(pair_columns(size)):
        games[:, one] += plain.meetings[:, column]
        games[:, other] += plain.meetings[:, column]
        by_player[:, one] += pairs[:, column]
        by_player[:, other] -= pairs[:, column]
    own = [at for at, (i, j) in enumerate(combinations_with_replacement(range(size), 2)) if i == j]
    return LuckRows(
        luck.fold,
        luck.deals,
        plain.players[luck.table],
        games[luck.table],
        halves,
        by_player,
        crossed[:, own] / 2,
        products[:, own],
    )


def _moved(plain: DealGroup, luck: LuckGroup, coefficient: Floats) -> DealGroup:
    _, pairs, crossed_pairs, squares, crossed, products = _columns(
        plain.players.shape[1], luck.values
    )
    b = coefficient[:, None]
    shift = np.hstack(
        [-b * pairs, b**2 * squares - 2 * b * crossed_pairs, b**2 * products - b * crossed]
    )
    if not shift.any():
        return plain
    values = plain.values.astype(np.float64)
    np.add.at(values, luck.table, shift)
    return replace(plain, values=values)

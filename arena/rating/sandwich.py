"""The error of strengths, computed over deals: Liang and Zeger's sandwich, clustered by deal.

    u_c = sum over the pairs of a deal of w (S - p)(e_i - e_j)
    C   = H+ [ G/(G-1) sum over deals of u_c u_c^T ] H+

For all G_T deals of a composition T together, with s the half-points, e = 2 p summed over
meetings and S_T the sum of s s^T,

    sum of u_c u_c^T = w^2/4 [ S_T - s_T e^T - e s_T^T + G_T e e^T ]

so the sums of `deal_sums` are enough. Matches of one deal share their cards and are not
independent; computed over matches, intervals that claim 95 % hold in 82 to 88 % of cases.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.rating.deal_sums import DealGroup, Integers, pair_columns
from arena.rating.solve import GHOST, Floats, expected, information, inverse

# Weights 1/(n-1) of matches with 2 to 6 seats are whole multiples of 1/60.
UNIT = 60


def weight(seats: int) -> int:
    """1/(n-1) in sixtieths: what a pair counts in a match of n seats."""
    return UNIT // max(seats - 1, 1)


def wins(groups: Sequence[DealGroup], players: Integers) -> Floats:
    """W (P, P): weighted wins of each player (ascending ids) over each other one.

    Added up in whole 120ths, so that it is exact.
    """
    size = len(players)
    total = np.zeros(size * size, dtype=np.int64)
    for group in groups:
        seated = np.searchsorted(players, group.players)
        for column, (one, other) in enumerate(pair_columns(group.players.shape[1])):
            won = group.values[:, column]
            lost = 2 * group.meetings[:, column] * group.deals - won
            for first, second, halves in ((one, other, won), (other, one, lost)):
                place = seated[:, first] * size + seated[:, second]
                np.add.at(total, place, halves * weight(group.seats))
    return total.reshape(size, size) / (2.0 * UNIT)


def deals_together(groups: Sequence[DealGroup], players: Integers) -> Integers:
    """(P, P): in how many deals two players met; on the diagonal, in how many one played."""
    size = len(players)
    total = np.zeros(size * size, dtype=np.int64)
    for group in groups:
        seated = np.searchsorted(players, group.players)
        for column in range(group.players.shape[1]):
            np.add.at(total, seated[:, column] * (size + 1), group.deals)
        for column, (one, other) in enumerate(pair_columns(group.players.shape[1])):
            met = np.where(group.meetings[:, column] > 0, group.deals, 0)
            np.add.at(total, seated[:, one] * size + seated[:, other], met)
            np.add.at(total, seated[:, other] * size + seated[:, one], met)
    return total.reshape(size, size)


def covariance(
    groups: Sequence[DealGroup], players: Integers, games: Floats, found: Floats, deals: Integers
) -> Floats:
    """C (P, P) of the strengths `found` (P + 1, the ghost last).

    `games` are W + W^T (P, P), `deals` how many each player played (P,). Two things are added
    to the formula above. The ghost's half-games are clusters of their own, as they are part
    of the data that was fitted. And each bot's deals are joined by the independent-matches
    variance of one more deal: results that were all the same would else look certain, with
    ten deals as with a million; at 250 deals it widens an interval by 0.2 %.
    """
    size = len(players)
    bread = inverse(_with_ghost(information(games, found[:size]), found))
    count = sum(int(group.deals.sum()) for group in groups)
    filling = np.zeros((size + 1, size + 1))
    filling[:size, :size] = _scores(groups, players, found) * (count / max(count - 1, 1))
    scale = 1.0 / np.sqrt(np.maximum(deals, 1))
    filling[:size, :size] += information(games, found[:size]) * np.outer(scale, scale)
    share = expected(found)[:size, size]
    filling = filling + _star(GHOST**2 * ((1 - share) ** 2 + share**2))
    return (bread @ filling @ bread)[:size, :size]


def _with_ghost(among: Floats, found: Floats) -> Floats:
    """The information of all games, those against the ghost included."""
    share = expected(found)[:-1, -1]
    extended = _star(2 * GHOST * share * (1 - share))
    extended[:-1, :-1] += among
    return extended


def _star(weights: Floats) -> Floats:
    """Sum of weights_i (e_i - e_ghost)(e_i - e_ghost)^T."""
    size = len(weights)
    made = np.zeros((size + 1, size + 1))
    made[:size, :size] = np.diag(weights)
    made[:size, size] = made[size, :size] = -weights
    made[size, size] = weights.sum()
    return made


def _scores(groups: Sequence[DealGroup], players: Integers, found: Floats) -> Floats:
    """Sum over deals of u u^T, (P, P)."""
    size = len(players)
    total = np.zeros(size * size)
    for group in groups:
        seated = np.searchsorted(players, group.players)
        blocks = _blocks(group, found[seated]) * (weight(group.seats) / UNIT) ** 2 / 4
        place = seated[:, :, None] * size + seated[:, None, :]
        total += np.bincount(place.ravel(), weights=blocks.ravel(), minlength=size * size)
    return total.reshape(size, size)


def _blocks(group: DealGroup, found: Floats) -> Floats:
    """By composition the (k, k) block of the sum over its deals of (s - e)(s - e)^T."""
    count, seated = group.players.shape
    s, e = np.zeros((count, seated)), np.zeros((count, seated))
    for column, (one, other) in enumerate(pair_columns(seated)):
        met, won = group.meetings[:, column], group.values[:, column]
        share = 1.0 / (1.0 + np.exp(np.clip(found[:, other] - found[:, one], -700.0, 700.0)))
        s[:, one] += won
        s[:, other] += 2 * met * group.deals - won
        e[:, one] += 2 * met * share
        e[:, other] += 2 * met * (1 - share)
    rows, columns = np.triu_indices(seated)
    squares = np.zeros((count, seated, seated))
    squares[:, rows, columns] = group.values[:, -len(rows) :]
    squares[:, columns, rows] = squares[:, rows, columns]
    cross = s[:, :, None] * e[:, None, :]
    block = squares - cross - cross.transpose(0, 2, 1)
    return np.asarray(
        block + group.deals[:, None, None] * e[:, :, None] * e[:, None, :], dtype=np.float64
    )

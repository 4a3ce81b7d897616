"""The error of strengths, computed over independent units: the match, or the deal if several
matches share one. It is called a deal here, with one match or more.

    u_c = sum over the pairs of a deal of w (S - p)(e_i - e_j)
    C   = H+ [ sum over deals of A_c u_c u_c^T A_c^T ] H+        A_c = (1 - I_c H+)^(-1/2)

I_c is the deal's contribution to H. With A = 1 this is Liang and Zeger's sandwich. Its residuals
are too small, because strengths are fitted to the same results; A corrects this (CR2, Bell and
McCaffrey 2002). A is only computed for deals with substantial leverage.

For all G_T deals of a composition T together, with s the half-points, e = 2 p summed over
meetings and S_T the sum of s s^T,

    sum of u_c u_c^T = w^2/4 [ S_T - s_T e^T - e s_T^T + G_T e e^T ]

so the sums of `deal_sums` suffice. Errors must not be computed over pairs, because the pairs of a
match share a bot's luck, and the matches of a deal share their cards. Such intervals would be too
narrow.

Two corrections are added. Each bot's scatter is averaged with that of two more random deals, since
otherwise equal results would look certain, whether ten or a million. The other is for the
pseudo-opponent (see `solve`), which pulls strengths towards the middle, while errors of the
strengths push them apart (Firth 1993). The excess of the pull counts as an error, and so does half
of the scatter that its games would have.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from arena.tournaments.ratings.deal_sums import DealGroup, Integers, pair_columns
from arena.tournaments.ratings.games import UNIT, luck, places, weight
from arena.tournaments.ratings.solve import PSEUDO_WINS, Floats, expected, information, inverse

WEIGHS = 0.01  # leverage of a deal below which A changes a variance by less than one percent
SERIES = (1.0, 1 / 2, 3 / 8, 5 / 16, 35 / 128)  # (1 - L)^(-1/2) as a power series in L

# Chosen by simulation (docs/contributing/benchmarks.md), like half the pseudo-opponent's scatter.
MORE = 2.0  # random deals with which each bot's scatter is averaged


class Errors(NamedTuple):
    """C (P, P) of the strengths: from results alone, and including the pseudo-opponent."""

    results: Floats
    whole: Floats


def errors(
    groups: Sequence[DealGroup],
    players: Integers,
    won: Mapping[int, Floats],
    strengths: Floats,
    deals: Integers,
) -> Errors:
    """Returns C of the `strengths` (P + 1, the pseudo-opponent last). `won` are the wins (P, P) by
    number of seats, `deals` the deals of each player (P,)."""
    size = len(players)
    games, lucky = np.zeros((size, size)), np.zeros((size, size))
    for seats, wins in won.items():
        games += wins + wins.T
        lucky += luck(seats) * (wins + wins.T)
    share = expected(strengths)[:size, size]
    bread = inverse(_with_pseudo_opponent(information(games, strengths[:size]), share))
    more = MORE / (np.asarray(deals, dtype=np.float64) + MORE)
    filling = scatter(groups, players, strengths, bread) * _outer(1.0 - more)
    filling += information(lucky, strengths[:size]) * _outer(more)
    own = bread[:size, :size]
    results = own @ filling @ own
    pull = PSEUDO_WINS * (1.0 - 2.0 * share) - _outwards(games, expected(strengths[:size]), results)
    return Errors(results, results + _of_pseudo_opponent(bread, share, pull))


def _outer(shares: Floats) -> Floats:
    """Returns the square roots of a_i a_j."""
    root: Floats = np.sqrt(shares)
    return np.asarray(root[:, None] * root[None, :])


def _outwards(games: Floats, share: Floats, results: Floats) -> Floats:
    """Returns the outward bias of strengths (P,), in wins: half of the bias from their errors.

    Expected scores are nonlinear in strength, so symmetric errors underestimate the expected
    score of the stronger player (Firth 1993).
    """
    variance = np.diag(results)[:, None] + np.diag(results)[None, :] - 2.0 * results
    return np.asarray((games * share * share.T * variance * (0.5 - share)).sum(axis=1))


def _of_pseudo_opponent(bread: Floats, share: Floats, pull: Floats) -> Floats:
    """Returns the pseudo-opponent's contribution. `share` is each player's expected score against
    it, `pull` its net pull in wins."""
    size = len(share)
    drawn = (bread @ np.append(pull, -pull.sum()))[:size]
    around = _star(PSEUDO_WINS**2 / 2 * ((1 - share) ** 2 + share**2))
    return np.asarray((bread @ around @ bread)[:size, :size] + np.outer(drawn, drawn))


def _with_pseudo_opponent(among: Floats, share: Floats) -> Floats:
    """Returns the information of all games, including those against the pseudo-opponent."""
    extended = _star(2 * PSEUDO_WINS * share * (1 - share))
    extended[:-1, :-1] += among
    return extended


def _star(weights: Floats) -> Floats:
    """Returns the sum of weights_i (e_i - e_last)(e_i - e_last)^T."""
    size = len(weights)
    matrix = np.zeros((size + 1, size + 1))
    matrix[:size, :size] = np.diag(weights)
    matrix[:size, size] = matrix[size, :size] = -weights
    matrix[size, size] = weights.sum()
    return matrix


def scatter(
    groups: Sequence[DealGroup], players: Integers, strengths: Floats, bread: Floats
) -> Floats:
    """Returns the sum over deals of A u u^T A^T, (P, P)."""
    size = len(players)
    own = np.diag(bread)
    apart = own[:, None] + own[None, :] - 2.0 * bread
    total = np.zeros(size * size)
    for group in groups:
        seated = places(players, group.players)
        shares = _shares(group, strengths[seated])
        blocks = _blocks(group, shares) * (weight(group.seats) / UNIT) ** 2 / 4
        _correct(blocks, group, seated, shares, bread, apart)
        place = seated[:, :, None] * size + seated[:, None, :]
        total += np.bincount(place.ravel(), weights=blocks.ravel(), minlength=size * size)
    return total.reshape(size, size)


def _shares(group: DealGroup, strengths: Floats) -> Floats:
    """Returns by composition and pair the expected score of the first."""
    one, other = (
        np.array(list(pair_columns(group.players.shape[1])), dtype=np.int64).reshape(-1, 2).T
    )
    difference = np.clip(strengths[:, other] - strengths[:, one], -700.0, 700.0)
    return np.asarray(1.0 / (1.0 + np.exp(difference)))


def _blocks(group: DealGroup, shares: Floats) -> Floats:
    """Returns by composition the block (k, k) of the sum over deals of (s - e)(s - e)^T."""
    count, seated = group.players.shape
    s, e = np.zeros((count, seated)), np.zeros((count, seated))
    for column, (one, other) in enumerate(pair_columns(seated)):
        met, won = group.meetings[:, column], group.values[:, column]
        share = shares[:, column]
        s[:, one] += won
        s[:, other] += 2 * met * group.deals - won
        e[:, one] += 2 * met * share
        e[:, other] += 2 * met * (1 - share)
    rows, columns = np.triu_indices(seated)
    squares = group.values[:, -len(rows) :]
    block = np.zeros((count, seated, seated))
    for place, (i, j) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        block[:, i, j] = (
            squares[:, place]
            - s[:, i] * e[:, j]
            - e[:, i] * s[:, j]
            + group.deals * e[:, i] * e[:, j]
        )
        block[:, j, i] = block[:, i, j]
    return block


def _correct(
    blocks: Floats, group: DealGroup, seated: Integers, shares: Floats, bread: Floats, apart: Floats
) -> None:
    """Replaces B by A B A^T for compositions whose deals have substantial leverage."""
    informs = group.meetings * shares * (1 - shares) * (weight(group.seats) / UNIT)
    leverage = np.zeros(len(seated))
    columns = list(pair_columns(seated.shape[1]))
    for column, (one, other) in enumerate(columns):
        leverage += informs[:, column] * apart[seated[:, one], seated[:, other]]
    rows = np.flatnonzero(leverage > WEIGHS)
    if not len(rows):
        return
    among = np.zeros((len(rows), seated.shape[1], seated.shape[1]))
    for column, (one, other) in enumerate(columns):
        informed = informs[rows, column]
        for i, j, sign in ((one, one, 1), (other, other, 1), (one, other, -1), (other, one, -1)):
            among[:, i, j] += sign * informed
    players = seated[rows]
    lever = among @ bread[players[:, :, None], players[:, None, :]]
    unit = np.eye(seated.shape[1])
    adjust = SERIES[-1] * unit
    for factor in SERIES[-2::-1]:
        adjust = factor * unit + lever @ adjust
    blocks[rows] = adjust @ blocks[rows] @ adjust.transpose(0, 2, 1)

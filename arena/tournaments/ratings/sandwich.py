"""The error of strengths, computed over units that are independent of each other: the match, or
the deal where several matches share one. Called a deal here, it has one match or more.

    u_c = sum over the pairs of a deal of w (S - p)(e_i - e_j)
    C   = H+ [ sum over deals of A_c u_c u_c^T A_c^T ] H+        A_c = (1 - I_c H+)^(-1/2)

I_c is what the deal adds to H. With A = 1 this is Liang and Zeger's sandwich; its residuals are
measured from strengths that follow from the same results, and A makes good what they lack by that
(Bell and McCaffrey 2002, known as CR2). A has to be known only where a deal weighs something.

For all G_T deals of a composition T together, with s the half-points, e = 2 p summed over
meetings and S_T the sum of s s^T,

    sum of u_c u_c^T = w^2/4 [ S_T - s_T e^T - e s_T^T + G_T e e^T ]

so the sums of `deal_sums` are enough. Pairs of one match share a bot's luck, and matches of one
deal share their cards; computed over pairs, intervals that claim 95% hold in 82 to 88% of cases.

Two things are added. The scatter of each bot's deals is averaged with that of two more deals,
played by chance: results that were all the same would else look certain, with ten deals as with
a million. And the ghost (see `solve`), who draws everybody towards the middle, while errors of
the strengths drive them apart (Firth 1993): by how much more it draws is counted as an error, and
with that half of what its half-games would scatter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from arena.tournaments.ratings.deal_sums import DealGroup, Integers
from arena.tournaments.ratings.games import luck
from arena.tournaments.ratings.scatter import scatter
from arena.tournaments.ratings.solve import GHOST, Floats, expected, information, inverse

# Chosen by simulation (docs/contributing/benchmarks.md), as is the half of what the ghost scatters.
MORE = 2.0  # deals, played by chance, that each bot's scatter is averaged with


class Errors(NamedTuple):
    """C (P, P) of the strengths: of the results alone, and with the ghost's part."""

    results: Floats
    whole: Floats


def errors(
    groups: Sequence[DealGroup],
    players: Integers,
    won: Mapping[int, Floats],
    strengths: Floats,
    deals: Integers,
) -> Errors:
    """C of the `strengths` (P + 1, the ghost last).

    `won` are the wins by number of seats, `deals` how many each player played (P,).
    """
    size = len(players)
    games, lucky = np.zeros((size, size)), np.zeros((size, size))
    for seats, wins in won.items():
        games += wins + wins.T
        lucky += luck(seats) * (wins + wins.T)
    share = expected(strengths)[:size, size]
    bread = inverse(_with_ghost(information(games, strengths[:size]), share))
    more = MORE / (np.asarray(deals, dtype=np.float64) + MORE)
    filling = scatter(groups, players, strengths, bread) * _outer(1.0 - more)
    filling += information(lucky, strengths[:size]) * _outer(more)
    own = bread[:size, :size]
    results = own @ filling @ own
    pull = GHOST * (1.0 - 2.0 * share) - _outwards(games, expected(strengths[:size]), results)
    return Errors(results, results + _of_ghost(bread, share, pull))


def _outer(shares: Floats) -> Floats:
    """The square root of a_i a_j."""
    root: Floats = np.sqrt(shares)
    return np.asarray(root[:, None] * root[None, :])


def _outwards(games: Floats, share: Floats, results: Floats) -> Floats:
    """What drives strengths apart (P,), in wins: the half of those that errors hide (Firth 1993).

    Expectation bends, so strengths that err as far up as down expect too little of the stronger.
    """
    variance = np.diag(results)[:, None] + np.diag(results)[None, :] - 2.0 * results
    return np.asarray((games * share * share.T * variance * (0.5 - share)).sum(axis=1))


def _of_ghost(bread: Floats, share: Floats, pull: Floats) -> Floats:
    """What the ghost adds: `share` is what each player is to expect against it, `pull` by how
    much it draws, in wins."""
    size = len(share)
    drawn = (bread @ np.append(pull, -pull.sum()))[:size]
    around = _star(GHOST**2 / 2 * ((1 - share) ** 2 + share**2))
    return np.asarray((bread @ around @ bread)[:size, :size] + np.outer(drawn, drawn))


def _with_ghost(among: Floats, share: Floats) -> Floats:
    """The information of all games, those against the ghost included."""
    extended = _star(2 * GHOST * share * (1 - share))
    extended[:-1, :-1] += among
    return extended


def _star(weights: Floats) -> Floats:
    """Sum of weights_i (e_i - e_ghost)(e_i - e_ghost)^T."""
    size = len(weights)
    matrix = np.zeros((size + 1, size + 1))
    matrix[:size, :size] = np.diag(weights)
    matrix[:size, size] = matrix[size, :size] = -weights
    matrix[size, size] = weights.sum()
    return matrix

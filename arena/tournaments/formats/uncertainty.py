"""The uncertainty of a ladder's order, and the table that reduces it most: pure array functions.

Strengths r are natural logarithms of odds: i beats j with p_ij = 1 / (1 + e^(r_j - r_i)). N_ij
counts matches with both, W_ij those that i won (half for ties), both weighted by 1/(k-1). The prior
of strengths is normal around 0 with a standard deviation of 2 (350 Elo), so estimates stay finite,
even for a bot that always loses. At the most likely strengths,

    H = sum over pairs N_ij p_ij (1 - p_ij) (e_i - e_j)(e_i - e_j)' + 1/4        information
    M = inverse of H,         Var(r_i - r_j) = M_ii + M_jj - 2 M_ij

The *doubt* about an order is the sum over neighbours of w Var(r_i - r_j). The weight w is the
probability that the two are in the wrong order (at least 1/10,000), so that uncertainty counts
where it may change the order. One more deal for a and b adds g = deals k/(k-1) p_ab (1 - p_ab)
of information between them and lowers the doubt by exactly

    g v'Lv / (1 + g R),     v = M (e_a - e_b),   R = v_a - v_b,   L the neighbours' Laplacian

A table is built greedily: first the bot with the largest such gain, then each time the bot whose
pairs with those already seated gain most. Siblings that are kept apart are skipped. Then M is
updated by one rank for each pair at the table. A table costs O(k^2 N^2), the first M of a block
O(N^3).
"""

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from math import erfc, sqrt

import numpy as np

from arena.tournaments.ratings import solve
from arena.tournaments.ratings.solve import Floats

PRIOR = 1.0 / 2.0**2  # precision of the prior
LEAST_WEIGHT = 1e-4


def counts(
    entrants: int, seats: int, pairs: Mapping[tuple[int, int], tuple[int, int]]
) -> tuple[Floats, Floats]:
    """Returns W and N, both (N, N), from matches and half-points of the lower-numbered, by pair."""
    won, met = np.zeros((entrants, entrants)), np.zeros((entrants, entrants))
    for (one, other), (matches, halves) in pairs.items():
        won[one, other], won[other, one] = halves / 2, matches - halves / 2
        met[one, other] = met[other, one] = matches
    return won / (seats - 1), met / (seats - 1)


def strengths(won: Floats, start: Sequence[float]) -> list[float]:
    """Returns the N most likely strengths."""
    values = solve.strengths(won, PRIOR, np.array(start, dtype=np.float64))
    return [float(value) for value in values]


def information(strength: Floats, met: Floats) -> Floats:
    """Returns H, (N, N), which the prior makes positive definite."""
    return solve.information(met, strength) + PRIOR * np.eye(len(met))


class Doubt:
    """The doubt about the order of strengths, updated as tables are added."""

    def __init__(
        self,
        values: Sequence[float],
        met: Floats,
        active: Sequence[int],
        seats: int,
        cycles: int,
        authors: Sequence[int] = (),
    ) -> None:
        """`met` is N as returned by `counts`. Only `active` entrants (ascending) are ranked and
        seated. Each added table plays `cycles` cycles of k matches. `authors`, by active entrant
        and with at least `seats` different values, are kept apart; empty if none."""
        self.active = list(active)
        by = np.array(authors if authors else range(len(self.active)))
        self.siblings = by[:, None] == by  # (active, active), including each with itself
        self.apart = bool(authors)
        strength = np.array(values, dtype=np.float64)
        p = solve.expected(strength)
        self.seats = seats
        self.worth = cycles * seats / (seats - 1) * p * (1.0 - p)  # g, (N, N)
        inverse = np.linalg.inv(information(strength, met))
        self.spread = np.asarray(inverse, dtype=np.float64)  # M
        self.neighbours = _neighbours(strength, self.spread, self.active)  # L
        self.felt = self.spread @ self.neighbours @ self.spread  # A = M L M

    @property
    def total(self) -> float:
        """The current doubt."""
        return float((self.neighbours * self.spread).sum())

    def gains(self) -> Floats:
        """Returns by how much each pair would lower the doubt, (N, N); 0 on the diagonal."""
        apart = _differences(self.spread)
        gains: Floats = self.worth * _differences(self.felt) / (1.0 + self.worth * apart)
        return gains

    def table(self, first: int | None = None) -> list[int]:
        """Returns the table that lowers the doubt most, ascending; with `first` if given."""
        active = self.active
        gains = self.gains()[np.ix_(active, active)]
        # Rounded, so that floating-point differences between machines do not decide.
        gains = np.round(gains / max(gains.max(), 1e-300), 6)
        if self.apart:
            gains[self.siblings] = -np.inf
        seated = [int(np.argmax(gains)) // len(active) if first is None else active.index(first)]
        while len(seated) < self.seats:
            added = gains[seated].sum(axis=0)
            added[seated] = -1.0
            seated.append(int(np.argmax(added)))
        return sorted(active[at] for at in seated)

    def add(self, table: Sequence[int]) -> None:
        """Counts a table's matches as played."""
        for one, other in combinations(table, 2):
            v = self.spread[:, one] - self.spread[:, other]
            worth = self.worth[one, other]
            share = worth / (1.0 + worth * (v[one] - v[other]))
            pulled = self.neighbours @ v
            u = self.spread @ pulled
            squares, products = v[:, None] * v, u[:, None] * v
            self.felt += share * share * float(v @ pulled) * squares
            self.felt -= share * (products + products.T)
            self.spread -= share * squares


def _differences(matrix: Floats) -> Floats:
    """Returns x_ii + x_jj - 2 x_ij, (N, N)."""
    own = np.diag(matrix)
    differences: Floats = own[:, None] + own[None, :] - 2.0 * matrix
    return differences


def _neighbours(strength: Floats, spread: Floats, active: list[int]) -> Floats:
    """Returns L, (N, N), weighted by the probability that two neighbours are in the wrong order."""
    order = sorted(active, key=lambda entrant: -float(strength[entrant]))
    laplacian = np.zeros_like(spread)
    for better, worse in pairwise(order):
        variance = spread[better, better] + spread[worse, worse] - 2.0 * spread[better, worse]
        gap = float(strength[better] - strength[worse])
        weight = max(LEAST_WEIGHT, 0.5 * erfc(gap / sqrt(2.0 * max(float(variance), 1e-12))))
        for one, other in ((better, worse), (worse, better)):
            laplacian[one, one] += weight
            laplacian[one, other] -= weight
    return laplacian

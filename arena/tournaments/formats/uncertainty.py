"""How sure the order of a ladder is, and which table would make it surer: pure, on arrays.

Strengths r are natural logarithms of odds: i does better than j with p_ij = 1 / (1 + e^(r_j -
r_i)). N_ij counts matches in which both sat, W_ij those in which i did better (half for ties),
both weighted 1/(k-1). Before they play, strengths are taken as normal around 0 with a standard
deviation of 2 (350 Elo), so that all is finite from the beginning, also for a bot that always
loses. At the strengths that are the likeliest,

    H = sum over pairs N_ij p_ij (1 - p_ij) (e_i - e_j)(e_i - e_j)' + 1/4        information
    M = inverse of H,         Var(r_i - r_j) = M_ii + M_jj - 2 M_ij

The *doubt* about an order is the sum over neighbours in it of w Var(r_i - r_j), where w is the
chance that the two stand the wrong way round (at least 1/10,000): uncertainty counts where it may
change the table. One more deal for a and b adds g = deals k/(k-1) p_ab (1 - p_ab) of information
between them and lowers the doubt, exactly, by

    g v'Lv / (1 + g R),     v = M (e_a - e_b),   R = v_a - v_b,   L the neighbours' Laplacian

A table is chosen pair by pair: first the two who lower the doubt most, then whoever adds most
together with those who sit already; siblings that are to be kept apart are passed over. Then M is
brought up to date, one rank for each pair at the table. A table costs O(k^2 N^2), the first M of a
block O(N^3).
"""

from __future__ import annotations

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
    """W and N, both (N, N), from matches and half-points of the lower-numbered by pair."""
    won, met = np.zeros((entrants, entrants)), np.zeros((entrants, entrants))
    for (one, other), (matches, halves) in pairs.items():
        won[one, other], won[other, one] = halves / 2, matches - halves / 2
        met[one, other] = met[other, one] = matches
    return won / (seats - 1), met / (seats - 1)


def strengths(won: Floats, start: Sequence[float]) -> list[float]:
    """The N strengths that are the likeliest."""
    values = solve.strengths(won, PRIOR, np.array(start, dtype=np.float64))
    return [float(value) for value in values]


def information(strength: Floats, met: Floats) -> Floats:
    """H, (N, N): positive definite, thanks to what is taken for granted."""
    return solve.information(met, strength) + PRIOR * np.eye(len(met))


class Doubt:
    """The doubt about the order of the strengths, as tables are added to what is known."""

    def __init__(
        self,
        values: Sequence[float],
        met: Floats,
        active: Sequence[int],
        seats: int,
        cycles: int,
        authors: Sequence[int] = (),
    ) -> None:
        """`met` as in `counts`; only `active` entrants (ascending) are to be put in order and
        seated; each table to be added plays `cycles` cycles of k matches. `authors`, as many as
        `active` and at least `seats` different ones, are kept apart; empty: nobody."""
        self.active = list(active)
        by = np.array(authors if authors else range(len(self.active)))
        self.siblings = by[:, None] == by  # (active, active), also of each and itself
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
        """The doubt now."""
        return float((self.neighbours * self.spread).sum())

    def gains(self) -> Floats:
        """By how much each pair (N, N) would lower the doubt; 0 on the diagonal."""
        apart = _differences(self.spread)
        gains: Floats = self.worth * _differences(self.felt) / (1.0 + self.worth * apart)
        return gains

    def table(self, first: int | None = None) -> list[int]:
        """The table that lowers the doubt most, ascending; with `first` if given."""
        active = self.active
        gains = self.gains()[np.ix_(active, active)]
        # Rounded, so that the last bits of another machine's arithmetic do not choose.
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
            self.felt += share * share * float(v @ pulled) * np.outer(v, v)
            self.felt -= share * (np.outer(u, v) + np.outer(v, u))
            self.spread -= share * np.outer(v, v)


def _differences(matrix: Floats) -> Floats:
    """x_ii + x_jj - 2 x_ij."""
    own = np.diag(matrix)
    differences: Floats = own[:, None] + own[None, :] - 2.0 * matrix
    return differences


def _neighbours(strength: Floats, spread: Floats, active: list[int]) -> Floats:
    """L, (N, N): neighbours in the order of strengths, weighted by the chance that it is wrong."""
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

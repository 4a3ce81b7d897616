"""Solving Bradley-Terry: strengths at which everybody scores what was to be expected.

A *ghost* that nobody ever met is added as the last player, with half a win and half a loss
against each other one. So a bot that always loses has a finite strength, and bots that never
met, not even through others, can stand in one table.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

GHOST = 0.5  # wins of each player against the ghost, and as many losses
MOST_STEPS = 200
CLOSE = 1e-9  # a net update that counts as zero, in wins
TINY = 1e-13  # a step below which strengths do not move any more


def with_ghost(wins: Floats) -> Floats:
    """The table of wins (P, P) with the ghost as its last row and column.

    Where luck is taken out of scores, one with few games may have less than nothing, or more than
    there was to be had. The ghost makes good what is lacking: they count as if they had lost, or
    won, everything.
    """
    players = len(wins)
    extended = np.full((players + 1, players + 1), GHOST)
    extended[:players, :players] = wins
    extended[:players, players] += np.maximum(0.0, -wins.sum(axis=1))
    extended[players, :players] += np.maximum(0.0, -wins.sum(axis=0))
    extended[players, players] = 0.0
    return extended


def strengths(wins: Floats, prior: float = 0.0, start: Floats | None = None) -> Floats:
    """Natural-log strengths (P,), their sum zero, that the wins (P, P) make likeliest.

    `prior` is the precision of a normal prior around 0 (1/variance) for each strength, `start` an
    estimate to begin from.

    wins[i, j] is how often i beat j, in fractions where ties are halves; every player must
    be linked with every other by wins both ways (`with_ghost` or a prior sees to it). At the
    solution sum over j of wins[i, j] - (wins[i, j] + wins[j, i]) p_ij, less prior * r_i, is zero
    for every i. The likelihood is concave, so Newton's method with steps halved where they
    overshoot gets there from anywhere: 5 to 30 steps, a millisecond each for 100 players. (choix,
    whose spectral ranking would give a start two steps from the end, takes longer to import than
    all of this; tests compare with it.)
    """
    estimate = np.zeros(len(wins)) if start is None else start - start.mean()
    best = _gradient(wins, estimate, prior)
    for _ in range(MOST_STEPS):
        step = _newton_step(information(wins + wins.T, estimate), best, prior)
        estimate = _forward(wins, estimate, step, prior)
        now = _gradient(wins, estimate, prior)
        settled = np.abs(now).max() >= np.abs(best).max() and np.abs(best).max() < CLOSE
        best = now
        if settled or np.abs(step).max() < TINY:
            break
    return estimate


def expected(estimate: Floats) -> Floats:
    """p_ij = 1 / (1 + exp(r_j - r_i)), (P, P): the score that i is to expect against j."""
    difference = np.clip(estimate[:, None] - estimate[None, :], -700.0, 700.0)
    return np.asarray(1.0 / (1.0 + np.exp(-difference)), dtype=np.float64)


def information(games: Floats, estimate: Floats) -> Floats:
    """Sum over pairs of games_ij p_ij (1 - p_ij) (e_i - e_j)(e_i - e_j)^T, (P, P)."""
    share = expected(estimate)
    weights = games * share * share.T
    np.fill_diagonal(weights, 0.0)
    return np.diag(weights.sum(axis=1)) - weights


def inverse(laplacian: Floats) -> Floats:
    """The pseudo-inverse of a matrix whose only null vector is that of ones.

    Adding a multiple of that vector's projection makes it invertible; taking the same
    projection off its inverse leaves the pseudo-inverse.
    """
    size = len(laplacian)
    scale = max(float(np.trace(laplacian)) / size, 1e-300)
    inverted = np.linalg.inv(laplacian + scale / size) - 1.0 / (scale * size)
    return (inverted + inverted.T) / 2


def _newton_step(laplacian: Floats, gradient: Floats, prior: float) -> Floats:
    if not prior:
        return inverse(laplacian) @ gradient
    step = np.linalg.solve(laplacian + prior * np.eye(len(laplacian)), gradient)
    return np.asarray(step, dtype=np.float64)


def _gradient(wins: Floats, estimate: Floats, prior: float) -> Floats:
    """By player, wins less expected wins, and less the pull of the prior."""
    # Summed as wins_ij p_ji - wins_ji p_ij, which are small where the result was expected.
    share = expected(estimate)
    unexpected = (wins * share.T - wins.T * share).sum(axis=1)
    return np.asarray(unexpected - prior * estimate, dtype=np.float64)


def _forward(wins: Floats, estimate: Floats, step: Floats, prior: float) -> Floats:
    """Goes along a step, or half of it, or a quarter, so far as the likelihood rises."""
    before = _likelihood(wins, estimate, prior)
    for _ in range(40):
        candidate = estimate + step
        candidate = candidate - candidate.mean()
        # Close to the top the likelihood is flat to all its digits.
        if _likelihood(wins, candidate, prior) >= before - 1e-12 * abs(before):
            return np.asarray(candidate, dtype=np.float64)
        step = step / 2
    return estimate


def _likelihood(wins: Floats, estimate: Floats, prior: float) -> float:
    """Its logarithm, with that of the prior."""
    unlikely = (wins * np.logaddexp(0.0, estimate[None, :] - estimate[:, None])).sum()
    return -float(unlikely) - prior / 2 * float(estimate @ estimate)

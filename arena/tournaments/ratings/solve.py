"""Solves Bradley-Terry: strengths at which all expected scores equal the actual ones.

A *pseudo-opponent* is added as the last player, with half a win and half a loss against each
player. It acts as a prior: a bot that always loses has a finite strength, and bots that never met,
not even through others, can be in the same table.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

PSEUDO_WINS = 0.5  # wins of each player against the pseudo-opponent, and as many losses
MOST_STEPS = 200
CLOSE = 1e-9  # largest net update that counts as zero, in wins
TINY = 1e-13  # step size at which strengths have converged


def with_pseudo_opponent(wins: Floats) -> Floats:
    """Returns wins (P, P) with the pseudo-opponent as last row and column, (P + 1, P + 1).

    Luck-adjusted scores of players with few games may be negative or above the maximum. The
    pseudo-opponent makes up the difference, so they count as if all games were lost or won.
    """
    players = len(wins)
    extended = np.full((players + 1, players + 1), PSEUDO_WINS)
    extended[:players, :players] = wins
    extended[:players, players] += np.maximum(0.0, -wins.sum(axis=1))
    extended[players, :players] += np.maximum(0.0, -wins.sum(axis=0))
    extended[players, players] = 0.0
    return extended


def strengths(wins: Floats, prior: float = 0.0, start: Floats | None = None) -> Floats:
    """Returns the maximum-likelihood natural-log strengths (P,) for wins (P, P); their sum is 0.

    `prior` is the precision (1/variance) of a normal prior around 0 for each strength, `start` an
    initial estimate.

    wins[i, j] is how often i beat j; ties count half. Every two players must be linked by wins
    in both directions, which `with_pseudo_opponent` or a prior ensures. At the solution, the sum
    over j of wins[i, j] - (wins[i, j] + wins[j, i]) p_ij, minus prior * r_i, is zero for every i.
    The likelihood is concave, so Newton's method with halved steps converges from any start.
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
    """Returns p_ij = 1 / (1 + exp(r_j - r_i)), (P, P): the expected score of i against j."""
    difference = np.clip(estimate[:, None] - estimate[None, :], -700.0, 700.0)
    return np.asarray(1.0 / (1.0 + np.exp(-difference)), dtype=np.float64)


def information(games: Floats, estimate: Floats) -> Floats:
    """Returns the sum over pairs of games_ij p_ij (1 - p_ij) (e_i - e_j)(e_i - e_j)^T, (P, P)."""
    share = expected(estimate)
    weights = games * share * share.T
    np.fill_diagonal(weights, 0.0)
    return np.diag(weights.sum(axis=1)) - weights


def inverse(laplacian: Floats) -> Floats:
    """Returns the pseudo-inverse of a matrix whose null space is the vector of ones.

    Adding a multiple of the projection onto that vector makes the matrix invertible. Subtracting
    the projection from the inverse leaves the pseudo-inverse.
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
    """Returns by player wins minus expected wins, minus the pull of the prior."""
    # Summed as wins_ij p_ji - wins_ji p_ij, whose terms are small for expected results.
    share = expected(estimate)
    unexpected = (wins * share.T - wins.T * share).sum(axis=1)
    return np.asarray(unexpected - prior * estimate, dtype=np.float64)


def _forward(wins: Floats, estimate: Floats, step: Floats, prior: float) -> Floats:
    """Takes the step, halved until the likelihood does not fall."""
    before = _likelihood(wins, estimate, prior)
    for _ in range(40):
        candidate = estimate + step
        candidate = candidate - candidate.mean()
        # Near the maximum, the likelihood is flat to machine precision.
        if _likelihood(wins, candidate, prior) >= before - 1e-12 * abs(before):
            return np.asarray(candidate, dtype=np.float64)
        step = step / 2
    return estimate


def _likelihood(wins: Floats, estimate: Floats, prior: float) -> float:
    """Returns the log-likelihood, including the prior."""
    unlikely = (wins * np.logaddexp(0.0, estimate[None, :] - estimate[:, None])).sum()
    return -float(unlikely) - prior / 2 * float(estimate @ estimate)

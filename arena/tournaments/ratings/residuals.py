"""How far what was observed of a pair lies from what its ratings lead to expect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from arena.tournaments.ratings.bradley_terry import Fit
from arena.tournaments.ratings.deal_sums import DealGroup, pair_columns
from arena.tournaments.ratings.games import UNIT, luck, places, weight
from arena.tournaments.ratings.solve import Floats, information, inverse, with_ghost

OTHERS = 100.0  # upsets of a pair after which its own scatter weighs as much as that of all pairs
ONE_MATCH = 0.25  # the variance of one, between equals
LEAST = 0.75  # of the variance that is left to a pair when its ratings are as sure as is usual
FEWEST = 0.02  # of a pair's variance: if ratings explain all but this, nothing is left to judge
FEWEST_UPSETS = 2.0  # to be expected of a pair: with fewer nothing can be far below expectation


def residuals(fit: Fit, groups: Sequence[DealGroup]) -> Floats:
    """Observed less expected score in standard errors (P, P), as good as standard normal where
    the ratings are right; NaN where it is undefined: of those who never met, whose difference
    in rating follows from their own matches alone, or of whom fewer than `FEWEST_UPSETS` upsets
    are to be expected.

    With u = w (h/2 - m p) summed over a pair's deals, v its share of the information and D the
    variance of its difference in strength,

        residual = sum of u / sqrt(variance of u - v^2 D)

    for the ratings follow from the same results: what they explain is no longer there to be
    seen. The variance of u is what the ratings lead to expect, times what the results of all
    pairs vary more or less than that (ties make it less, deals played twice too); as a pair gets
    upsets of its own to count, more and more of its own. It cannot be taken from the pair's
    results alone: those of a bot that never won do not vary.
    """
    seen = pair_sums(fit.players, fit.expected, groups)
    variances = fit.expected * fit.expected.T
    chance = variances * _sum(seen.met, lambda seats: _weight(seats) ** 2)
    informs = variances * _sum(seen.met, _weight)
    usual = informs**2 * _apart(_by_chance(fit, seen))
    variance = _blended(seen, chance, usual / np.maximum(fit.deals, 1), fit)
    ratio = np.divide(variance, chance, out=np.zeros_like(chance), where=chance > 0)
    left = np.maximum(chance - usual, 0.0)
    # A few deals show their scatter badly: D is believed so far as it leaves most of the usual.
    least = LEAST * ratio * left
    error = np.sqrt(np.maximum(variance - informs**2 * _apart(fit.scatter), least))
    tells = (left > FEWEST * chance) & (_upsets(fit, seen) >= FEWEST_UPSETS) & (error > 0)
    return np.divide(seen.unlike, error, out=np.full_like(error, np.nan), where=tells)


class PairSums(NamedTuple):
    """(P, P): the sums of u and of u^2, and by number of seats the matches in which two met."""

    unlike: Floats
    square: Floats
    met: dict[int, Floats]


def pair_sums(players: Sequence[int], shares: Floats, groups: Sequence[DealGroup]) -> PairSums:
    """What was seen of each pair, with the score `shares` (P, P) in the place of p."""
    size = len(players)
    total, square = np.zeros(size * size), np.zeros(size * size)
    met: dict[int, Floats] = {}
    for group in groups:
        seated = places(np.array(players), group.players)
        here = met.setdefault(group.seats, np.zeros(size * size))
        for column, (one, other) in enumerate(pair_columns(group.players.shape[1])):
            first, second = seated[:, one], seated[:, other]
            unlike, unlike_square = _unlike(group, column, shares[first, second])
            times = group.meetings[:, column] * group.deals
            place = first * size + second
            for added, values in ((total, unlike), (square, unlike_square), (here, times)):
                added += np.bincount(place, weights=values, minlength=size * size)
    shape = size, size
    unlike, square = total.reshape(shape), square.reshape(shape)
    both = {seats: _both(here.reshape(shape)) for seats, here in met.items()}
    return PairSums(unlike - unlike.T, _both(square), both)


def _unlike(group: DealGroup, column: int, share: Floats) -> tuple[Floats, Floats]:
    """Sum of u and of u^2 over the deals of each composition, for one pair of its players."""
    count = group.players.shape[1] * (group.players.shape[1] - 1) // 2
    won, won_square = group.values[:, column], group.values[:, count + column]
    mean = group.meetings[:, column] * share
    factor = _weight(group.seats)
    unlike = won / 2 - group.deals * mean
    square = won_square / 4 - won * mean + group.deals * mean**2
    return factor * unlike, factor**2 * np.maximum(square, 0.0)


def _blended(seen: PairSums, chance: Floats, lost: Floats, fit: Fit) -> Floats:
    """The variance of u: the pair's own, and that of all pairs weighing `OTHERS` upsets.

    `lost` is what the sum of u^2 lacks since it is measured from the ratings' own expectation.
    """
    # One match as it is to be expected beside all, so that there is always some variance.
    ratio = (seen.square.sum() + ONE_MATCH) / (np.maximum(chance - lost, 0.0).sum() + ONE_MATCH)
    upsets = _upsets(fit, seen)
    return np.asarray((upsets * seen.square + OTHERS * ratio * chance) / (upsets + OTHERS))


def _upsets(fit: Fit, seen: PairSums) -> Floats:
    """How many upsets the ratings lead to expect of each pair."""
    return np.minimum(fit.expected, fit.expected.T) * _sum(seen.met, lambda _: 1.0)


def _by_chance(fit: Fit, seen: PairSums) -> Floats:
    """The covariance of the strengths that independent matches among equals would have."""
    games = _sum(seen.met, _weight)
    if not len(games):
        return games
    bread = inverse(information(with_ghost(games / 2) * 2, fit.strengths))[:-1, :-1]
    lucky = _sum(seen.met, lambda seats: _weight(seats) * luck(seats))
    return np.asarray(bread @ information(lucky, fit.strengths[:-1]) @ bread)


def _sum(met: Mapping[int, Floats], factor: Callable[[int], float]) -> Floats:
    """The matches of all numbers of seats together, each with its factor."""
    added = [factor(seats) * each for seats, each in met.items()]
    return np.asarray(sum(added[1:], added[0])) if added else np.zeros((0, 0))


def _apart(covariance: Floats) -> Floats:
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own[None, :] - 2 * covariance)


def _both(upper: Floats) -> Floats:
    return np.asarray(upper + upper.T)


def _weight(seats: int) -> float:
    return weight(seats) / UNIT

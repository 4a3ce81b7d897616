"""Pairs: residuals, the observed score minus the score that ratings predict, and the error of the
observed score."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from arena.tournaments.ratings.bradley_terry import Fit
from arena.tournaments.ratings.deal_sums import DealGroup, pair_columns
from arena.tournaments.ratings.games import UNIT, luck, places, weight
from arena.tournaments.ratings.normal import Z95
from arena.tournaments.ratings.score_error import FEWEST as FEWEST_DEALS
from arena.tournaments.ratings.solve import Floats, information, inverse, with_pseudo_opponent

OTHERS = 100.0  # upsets of a pair at which its own scatter and the common scatter weigh equally
ONE_MATCH = 0.25  # variance of a match between equals
LEAST = 0.75  # lower limit of a pair's remaining variance, relative to usual rating errors
FEWEST = 0.02  # share of a pair's variance; residuals need more than this left by the ratings
FEWEST_UPSETS = 2.0  # expected upsets of a pair below which residuals are too skewed


def residuals(fit: Fit, groups: Sequence[DealGroup]) -> Floats:
    """Returns observed minus expected score in standard errors (P, P), approximately standard
    normal if the ratings are right. NaN for pairs that never met, whose difference in rating
    depends on their own matches alone, or with fewer than FEWEST_UPSETS expected upsets.

    With u = w (h/2 - m p) summed over a pair's deals, v its share of the information and D the
    variance of its difference in strength,

        residual = sum of u / sqrt(variance of u - v^2 D)

    The term v^2 D is needed because the ratings were fitted to the same results. The variance of
    u is the variance that ratings predict, scaled by the ratio of observed to predicted scatter
    over all pairs (ties and duplicate deals lower it). As a pair's upsets accumulate, its own
    scatter gains weight. It cannot be used alone: the results of a bot that never won do not vary.
    """
    seen = pair_sums(fit.players, fit.expected, groups)
    variances = fit.expected * fit.expected.T
    chance = variances * _sum(seen.met, lambda seats: _weight(seats) ** 2)
    informs = variances * _sum(seen.met, _weight)
    usual = informs**2 * _apart(_by_chance(fit, seen))
    variance = _blended(seen, chance, usual / np.maximum(fit.deals, 1), fit)
    ratio = np.divide(variance, chance, out=np.zeros_like(chance), where=chance > 0)
    left = np.maximum(chance - usual, 0.0)
    # A few deals give poor estimates of scatter: limit the effect of D to keep most of the usual.
    least = LEAST * ratio * left
    error = np.sqrt(np.maximum(variance - informs**2 * _apart(fit.scatter), least))
    tells = (left > FEWEST * chance) & (_upsets(fit, seen) >= FEWEST_UPSETS) & (error > 0)
    return np.divide(seen.unlike, error, out=np.full_like(error, np.nan), where=tells)


class PairSums(NamedTuple):
    """(P, P): the sums of u and of u^2, and the matches of each pair by number of seats."""

    unlike: Floats
    square: Floats
    met: dict[int, Floats]


def pair_sums(players: Sequence[int], shares: Floats, groups: Sequence[DealGroup]) -> PairSums:
    """Returns the sums of each pair, with the scores `shares` (P, P) in place of p."""
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
    """Returns by composition the sums of u and of u^2 over its deals, for one pair."""
    count = group.players.shape[1] * (group.players.shape[1] - 1) // 2
    won, won_square = group.values[:, column], group.values[:, count + column]
    mean = group.meetings[:, column] * share
    factor = _weight(group.seats)
    unlike = won / 2 - group.deals * mean
    square = won_square / 4 - won * mean + group.deals * mean**2
    return factor * unlike, factor**2 * np.maximum(square, 0.0)


def _blended(seen: PairSums, chance: Floats, lost: Floats, fit: Fit) -> Floats:
    """Returns the variance of u: the pair's own, blended with the variance of all pairs at a weight
    of OTHERS upsets. `lost` is the amount by which fitting the ratings lowers the sum of u^2."""
    # One match of expected variance is added, so that there is always some variance.
    ratio = (seen.square.sum() + ONE_MATCH) / (np.maximum(chance - lost, 0.0).sum() + ONE_MATCH)
    upsets = _upsets(fit, seen)
    return np.asarray((upsets * seen.square + OTHERS * ratio * chance) / (upsets + OTHERS))


def _upsets(fit: Fit, seen: PairSums) -> Floats:
    """Returns the expected number of upsets of each pair."""
    return np.minimum(fit.expected, fit.expected.T) * _sum(seen.met, lambda _: 1.0)


def _by_chance(fit: Fit, seen: PairSums) -> Floats:
    """Returns the covariance of strengths for independent matches among equals."""
    games = _sum(seen.met, _weight)
    if not len(games):
        return games
    bread = inverse(information(with_pseudo_opponent(games / 2) * 2, fit.strengths))[:-1, :-1]
    lucky = _sum(seen.met, lambda seats: _weight(seats) * luck(seats))
    return np.asarray(bread @ information(lucky, fit.strengths[:-1]) @ bread)


def _sum(met: Mapping[int, Floats], factor: Callable[[int], float]) -> Floats:
    """Returns the weighted sum of the matches of all numbers of seats."""
    added = [factor(seats) * each for seats, each in met.items()]
    return np.asarray(sum(added[1:], added[0])) if added else np.zeros((0, 0))


def _apart(covariance: Floats) -> Floats:
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own[None, :] - 2 * covariance)


def _both(upper: Floats) -> Floats:
    return np.asarray(upper + upper.T)


def _weight(seats: int) -> float:
    return weight(seats) / UNIT


def score_errors(fit: Fit, groups: Sequence[DealGroup]) -> Floats:
    """Returns half the width of the 95% interval of each pair's observed score, from 0 to 1 (P, P).
    NaN if the two met in too few deals, or if one never scored, because scatter is unknown.

    The score is a ratio, summed over independent deals: half-points won to half-points possible.
    As in `arena.tournaments.ratings.score_error`, with s the score, w the weight of a match and G
    the deals in which the two met,

        variance of s = G / (G - 1) * sum of w^2 (h_d/2 - m_d s)^2 / (sum of w m_d)^2

    It does not use ratings, so it is valid for pairs that ratings do not fit, too.
    """
    possible = fit.wins + fit.wins.T
    scores = np.divide(fit.wins, possible, out=np.full_like(possible, 0.5), where=possible > 0)
    square = pair_sums(fit.players, scores, groups).square
    deals = np.maximum(fit.deals, 2)
    tells = (fit.deals >= FEWEST_DEALS) & (np.minimum(fit.wins, fit.wins.T) > 0)
    variance = square * deals / (deals - 1)
    half = Z95 * np.sqrt(np.maximum(variance, 0.0))
    nowhere = np.full_like(possible, np.nan)
    return np.asarray(np.divide(half, possible, out=nowhere, where=tells))

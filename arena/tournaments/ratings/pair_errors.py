"""The error of the observed score of one bot against another.

The score is a ratio, summed over independent deals: half-points won to half-points possible. As in
`arena.tournaments.ratings.score_error`, with s the score, w the weight of a match and G the deals
in which the two met,

    variance of s = G / (G - 1) * sum of w^2 (h_d/2 - m_d s)^2 / (sum of w m_d)^2

It does not use ratings, so it is valid for pairs that ratings do not fit, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.tournaments.ratings.bradley_terry import Fit
from arena.tournaments.ratings.deal_sums import DealGroup
from arena.tournaments.ratings.normal import Z95
from arena.tournaments.ratings.residuals import pair_sums
from arena.tournaments.ratings.score_error import FEWEST
from arena.tournaments.ratings.solve import Floats


def score_errors(fit: Fit, groups: Sequence[DealGroup]) -> Floats:
    """Returns half the width of the 95% interval of each pair's observed score, from 0 to 1 (P, P).
    NaN if the two met in too few deals, or if one never scored, because scatter is unknown."""
    possible = fit.wins + fit.wins.T
    scores = np.divide(fit.wins, possible, out=np.full_like(possible, 0.5), where=possible > 0)
    square = pair_sums(fit.players, scores, groups).square
    deals = np.maximum(fit.deals, 2)
    tells = (fit.deals >= FEWEST) & (np.minimum(fit.wins, fit.wins.T) > 0)
    variance = square * deals / (deals - 1)
    half = Z95 * np.sqrt(np.maximum(variance, 0.0))
    nowhere = np.full_like(possible, np.nan)
    return np.asarray(np.divide(half, possible, out=nowhere, where=tells))

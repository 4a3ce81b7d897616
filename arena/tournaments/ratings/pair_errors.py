"""How sure the score is that one bot was seen to have against another.

It is a ratio: the half-points of the one over those that the two could have, both summed over
independent deals. As in `arena.tournaments.ratings.score_error`, with s the score, w the weight of
a match and G the deals in which the two met,

    variance of s = G / (G - 1) * sum of w^2 (h_d/2 - m_d s)^2 / (sum of w m_d)^2

Nothing of it follows from ratings, so that it also holds where these do not fit the pair.
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
    """Half the width of the 95% interval of each pair's observed score, from 0 to 1 (P, P); NaN
    of pairs that met in too few deals, or of whom one never scored: there is no scatter to see."""
    possible = fit.wins + fit.wins.T
    scores = np.divide(fit.wins, possible, out=np.full_like(possible, 0.5), where=possible > 0)
    square = pair_sums(fit.players, scores, groups).square
    deals = np.maximum(fit.deals, 2)
    tells = (fit.deals >= FEWEST) & (np.minimum(fit.wins, fit.wins.T) > 0)
    variance = square * deals / (deals - 1)
    half = Z95 * np.sqrt(np.maximum(variance, 0.0))
    nowhere = np.full_like(possible, np.nan)
    return np.asarray(np.divide(half, possible, out=nowhere, where=tells))

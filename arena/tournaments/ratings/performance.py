"""The rating of one player from results against opponents whose ratings are known.

It is the Bradley-Terry estimate of `bradley_terry` with all other strengths held fixed: the rating
at which the player's score equals the expected score. A pseudo-opponent as strong as the mean
opponent, with half a win and half a loss, keeps it finite.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from arena.tournaments.ratings.bradley_terry import ELO
from arena.tournaments.ratings.elo import expected

FEWEST = 5  # matches; with fewer there is no rating
STEPS = 60  # halvings: far below a hundredth of an Elo
FARTHEST = 3000.0  # Elo from the mean opponent


class OpponentScore(NamedTuple):
    """The player's score against one opponent of a match: 1, 1/2 or 0."""

    match: int  # meetings of one match are not independent
    opponent: float  # rating, Elo
    score: float


class Performance(NamedTuple):
    """A rating and half the width of its 95% interval, both in Elo."""

    rating: float
    plus_minus: float


def performance(meetings: Sequence[OpponentScore]) -> Performance | None:
    """The rating that explains the meetings; None with fewer than FEWEST matches.

    The interval allows for meetings of one match that go together (a sandwich estimate by match),
    and not for errors of the opponents' ratings.
    """
    matches = {meeting.match for meeting in meetings}
    if len(matches) < FEWEST:
        return None
    centre = sum(meeting.opponent for meeting in meetings) / len(meetings)
    low, high = centre - FARTHEST, centre + FARTHEST
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _missing(meetings, centre, middle) > 0:
            low = middle
        else:
            high = middle
    rating = (low + high) / 2
    return Performance(rating, 1.96 * _error(meetings, centre, rating))


def _missing(meetings: Sequence[OpponentScore], centre: float, rating: float) -> float:
    """The score beyond the expected one at this rating."""
    pseudo = 0.5 - expected(rating, centre)
    return pseudo + sum(m.score - expected(rating, m.opponent) for m in meetings)


def _error(meetings: Sequence[OpponentScore], centre: float, rating: float) -> float:
    """Standard error of the rating, Elo."""
    shares = [expected(rating, m.opponent) for m in meetings]
    pseudo = expected(rating, centre)
    information = sum(p * (1 - p) for p in shares) + pseudo * (1 - pseudo)
    surprises = dict.fromkeys((m.match for m in meetings), 0.0)
    for meeting, share in zip(meetings, shares, strict=True):
        surprises[meeting.match] += meeting.score - share
    scattered = sum(each**2 for each in surprises.values())
    scattered *= len(surprises) / (len(surprises) - 1)
    return ELO * sqrt(max(scattered, information)) / information

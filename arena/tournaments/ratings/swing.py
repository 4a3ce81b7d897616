"""How far a live Elo may lie from the strength it is after: the band around a rating history.

A match moves the Elo R of a bot of constant strength s by K (S - E), where S is the share of
opponents it beat. S varies by the luck of the match, E leads R back to s. So the variance V of
R - s follows a recursion,

    V' = (1 - K b)^2 V + K^2 v
    b  = ln 10 / 1600                     how steeply E rises with R between equals, per Elo
    v  = (n + 1) / (12 (n - 1))           variance of S at a table of n equals
    K  = mean over the opponents j of min(K_i, K_j), as in `elo`

which begins at 200^2, since Elo knows nothing of a newcomer, and ends at what K = 4 swings by
itself: 37 Elo (95%) at two seats, 27 at four. Opponents' own Elo is taken as right, matches as
independent.

Where Elo is counted from an anchor, everybody's Elo is off by the same amount too: as far as the
zero is not known yet. Its variance Z follows the same recursion over the matches of the anchor,
with `zero_factor` for K, and begins at 200^2 with the first of them; half a band is 1.96 times
the root of V + Z.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt

from arena.tournaments.ratings.elo import k_factor, zero_factor
from arena.tournaments.ratings.normal import Z95

UNKNOWN = 200.0**2  # the variance of a newcomer's strength around the start
SLOPE = log(10) / 1600


def variances(before: Sequence[float], played: Sequence[int]) -> list[float]:
    """The variances after a match, by seat, from those before and the matches rated before."""
    factors = [k_factor(count) for count in played]
    seats = len(factors)
    luck = _luck(seats)
    lowest = min(factors)
    if lowest == max(factors):  # as a rule: all have played hundreds
        kept, added = (1 - lowest * SLOPE) ** 2, lowest * lowest * luck
        return [kept * variance + added for variance in before]
    after = []
    for seat, variance in enumerate(before):
        own = factors[seat]
        total = sum([min(own, other) for other in factors]) - own
        factor = total / (seats - 1)
        after.append((1 - factor * SLOPE) ** 2 * variance + factor * factor * luck)
    return after


def zero_variance(before: float, played: int, seats: int) -> float:
    """The variance of the zero after a match of the anchor at a table of so many seats, from that
    before and the anchor's matches rated before."""
    factor = zero_factor(played)
    return (1 - factor * SLOPE) ** 2 * before + factor * factor * _luck(seats)


def _luck(seats: int) -> float:
    """The variance of the share of opponents that one of equals beats."""
    return (seats + 1) / (12 * (seats - 1))


def half_width(variance: float) -> float:
    """Half of the 95% band, in Elo."""
    return Z95 * sqrt(variance)

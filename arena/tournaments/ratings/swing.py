"""The uncertainty of the live Elo: the band around an Elo history.

A match moves the Elo R of a bot of constant strength s by K (S - E), where S is the share of
opponents beaten. S varies by chance, and E pulls R back to s. So the variance V of R - s follows
the recursion

    V' = (1 - K b)^2 V + K^2 v
    b  = ln 10 / 1600                     slope of E by R between equals, per Elo
    v  = (n + 1) / (12 (n - 1))           variance of S at a table of n equals
    K  = mean over the opponents j of min(K_i, K_j), as in `elo`

which starts at 200^2, because a new bot's strength is unknown. It ends at the fluctuation for
K = 4: 37 Elo (95%) at two seats, 27 at four. Opponents' Elo is assumed to be right, and matches
independent.

With an anchor, all Elo share an additional error, because the anchor's level is uncertain. Its
variance Z follows the same recursion over the anchor's matches, with `zero_factor` for K, and
starts at 200^2 with the first of them. Half the band is 1.96 times the root of V + Z.
"""

from collections.abc import Sequence
from math import log, sqrt

from arena.tournaments.ratings.elo import k_factor, zero_factor
from arena.tournaments.ratings.normal import Z95

UNKNOWN = 200.0**2  # variance of a new bot's strength around the start
SLOPE = log(10) / 1600


def variances(before: Sequence[float], played: Sequence[int]) -> list[float]:
    """Returns the variances after a match by seat, given those before and matches rated before."""
    factors = [k_factor(count) for count in played]
    seats = len(factors)
    luck = _luck(seats)
    lowest = min(factors)
    if lowest == max(factors):  # fast path: usually, all have played hundreds of matches
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
    """Returns the variance of the anchor's level after its match at a table of `seats`, given the
    variance before and the anchor's matches rated before."""
    factor = zero_factor(played)
    return (1 - factor * SLOPE) ** 2 * before + factor * factor * _luck(seats)


def _luck(seats: int) -> float:
    """Returns the variance of the share of opponents that a bot beats among equals."""
    return (seats + 1) / (12 * (seats - 1))


def half_width(variance: float) -> float:
    """Returns half the width of the 95% band, in Elo."""
    return Z95 * sqrt(variance)

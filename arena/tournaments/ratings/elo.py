"""Live Elo for two to six seats with shared victories, one match at a time.

Every pair at the table counts as a game, won by the player with fewer penalty points:

    S_ij = 1, 1/2, 0         i has fewer, equal, more points than j
    E_ij = 1 / (1 + 10^((R_j - R_i) / 400))
    K_i  = max(4, 64 / (1 + g_i / 40))             g_i matches rated before this one
    change of i = 1/(n-1) sum over j of min(K_i, K_j) (S_ij - E_ij)

All R are the ratings before the match. Forfeits rank below all others. Changes add up to 0 at each
table. For two seats this is classic Elo.

With an *anchor*, a bot that does not change, its Elo is fixed at START. When a match would change
it, all other bots move by the opposite amount, including those not at the table:

    shift = - max(1, 64 / (1 + g / 40)) 1/(n-1) sum over j of (S_j - E_j)         of the anchor

If only the anchor's opponents moved, the common distance of N bots from the anchor would be learnt
N - 1 times as slowly as their differences (`tests/unit/tournaments/test_elo_zero.py`).
"""

from collections.abc import Sequence
from itertools import combinations
from math import fsum, pow
from typing import Any

START = 1500.0
VETERAN = 600  # matches after which K is 4
# The largest exponent of ten: keeps powers finite, and the expected score is 0 long before.
MOST = 300.0


def k_factor(played: int) -> float:
    """Returns K after `played` matches: the scale of Elo changes, from 64 down to 4."""
    return 4.0 if played >= VETERAN else 64.0 / (1.0 + played / 40.0)


def zero_factor(played: int) -> float:
    """Returns the scale of the shift for a match of the anchor after it has `played` matches, from
    64 down to 1. The anchor does not change, so its level can be known more precisely."""
    return max(1.0, 64.0 / (1.0 + played / 40.0))


def expected(rating: float, other: float) -> float:
    """Returns the expected score, from 0 to 1, of one rating against another."""
    return 1.0 / (1.0 + pow(10.0, min((other - rating) / 400.0, MOST)))


def changes(
    ratings: Sequence[float],
    played: Sequence[int],
    points: Sequence[int],
    forfeited: Sequence[bool],
) -> list[float]:
    """Returns the changes of Elo from a match, by seat.

    All arguments are by seat, for two seats or more: Elo before the match, matches rated before,
    final penalty points, and whether the bot forfeited. Sums are exact before rounding, so the
    result does not depend on the order of seats.
    """
    places = list(zip(forfeited, points, strict=True)) if any(forfeited) else points
    factors = map(k_factor, played)
    lines: list[tuple[float, float, Any, list[float]]] = [
        (*line, []) for line in zip(ratings, factors, places, strict=True)
    ]
    # `score` and `expected` are inlined, because calls would take most of this hot loop's time.
    for (mine, k, place, own), (theirs, other_k, other_place, others) in combinations(lines, 2):
        factor = k if k < other_k else other_k
        won = 1.0 if place < other_place else 0.5 if place == other_place else 0.0
        behind = (theirs - mine) / 400.0
        ahead = -behind
        own.append(factor * (won - 1.0 / (1.0 + 10.0 ** (behind if behind < MOST else MOST))))
        lost = 1.0 - won
        others.append(factor * (lost - 1.0 / (1.0 + 10.0 ** (ahead if ahead < MOST else MOST))))
    opponents = len(lines) - 1
    return [fsum(terms) / opponents for *_, terms in lines]


def surplus(
    seat: int, ratings: Sequence[float], points: Sequence[int], forfeited: Sequence[bool]
) -> float:
    """Returns how much better a seat scored than expected, from -1 to 1: the mean over opponents of
    score minus expected score. For the other arguments, see `changes`."""
    places = list(zip(forfeited, points, strict=True))
    total = fsum(
        score(places[seat], place) - expected(ratings[seat], rating)
        for j, (place, rating) in enumerate(zip(places, ratings, strict=True))
        if j != seat
    )
    return total / (len(places) - 1)


def score(mine: tuple[bool, int], theirs: tuple[bool, int]) -> float:
    """Returns 1 for the better place, 1/2 for equal ones; a place is (forfeited, points)."""
    if mine == theirs:
        return 0.5
    return 1.0 if mine < theirs else 0.0

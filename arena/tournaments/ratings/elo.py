"""Live Elo for two to six seats with shared victories, one match at a time.

Every pair at the table is a game of its own, won by the one with fewer points:

    S_ij = 1, 1/2, 0         i has fewer, equal, more points than j
    E_ij = 1 / (1 + 10^((R_j - R_i) / 400))
    K_i  = max(4, 64 / (1 + g_i / 40))             g_i matches rated before this one
    change of i = 1/(n-1) sum over j of min(K_i, K_j) (S_ij - E_ij)

All R are the ratings before the match. Whoever forfeits ranks below everyone who did not.
Ratings are conserved: the changes of a table add up to 0. For two seats it is classic Elo.

With an *anchor*, a bot that does not change, Elo is counted from it: it stays at START. What its
matches would have moved it by moves everybody else the other way, also who was not at the table:

    shift = - max(1, 64 / (1 + g / 40)) 1/(n-1) sum over j of (S_j - E_j)         of the anchor

Were only its opponents moved, the common distance of N bots from the anchor would be learnt N - 1
times as slowly as the differences between them: among 40 bots not within thousands of matches
(`tests/unit/tournaments/test_elo_zero.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import fsum, pow
from typing import Any

START = 1500.0
VETERAN = 600  # matches, from which on K is 4
# The most that a power of ten is raised to: it stays finite, and the score is 0 long before it.
MOST = 300.0


def k_factor(played: int) -> float:
    """How far one match may move a bot that has played so many: from 64 down to 4 Elo."""
    return 4.0 if played >= VETERAN else 64.0 / (1.0 + played / 40.0)


def zero_factor(played: int) -> float:
    """How far a match of the anchor, which has played so many, may move the zero of all others:
    from 64 down to 1 Elo. It does not change, so that it can be known better than others."""
    return max(1.0, 64.0 / (1.0 + played / 40.0))


def expected(rating: float, other: float) -> float:
    """The score, from 0 to 1, that a rating leads to expect against another."""
    return 1.0 / (1.0 + pow(10.0, min((other - rating) / 400.0, MOST)))


def changes(
    ratings: Sequence[float],
    played: Sequence[int],
    points: Sequence[int],
    forfeited: Sequence[bool],
) -> list[float]:
    """By seat, by how much a match changes the ratings.

    All four are by seat, of two seats or more: ratings before the match, matches rated
    before it, points at its end, whether the bot forfeited. The sum is exact before it is
    rounded, so it does not depend on who sits where.
    """
    places = list(zip(forfeited, points, strict=True)) if any(forfeited) else points
    factors = map(k_factor, played)
    lines: list[tuple[float, float, Any, list[float]]] = [
        (*line, []) for line in zip(ratings, factors, places, strict=True)
    ]
    # `score` and `expected` of both sides of a pair, written out: of a million matches there are
    # twelve million pairs, in two tables each, and calls take most of the time.
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
    """By how much a seat scored more than was to be expected of it, from -1 to 1: the mean over
    its opponents of score less expected score. The others are as in `changes`."""
    places = list(zip(forfeited, points, strict=True))
    total = fsum(
        score(places[seat], place) - expected(ratings[seat], rating)
        for j, (place, rating) in enumerate(zip(places, ratings, strict=True))
        if j != seat
    )
    return total / (len(places) - 1)


def score(mine: tuple[bool, int], theirs: tuple[bool, int]) -> float:
    """1 for the better place, 1/2 for equal ones; a place is (forfeited, points)."""
    if mine == theirs:
        return 0.5
    return 1.0 if mine < theirs else 0.0

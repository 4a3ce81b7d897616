"""Wins and meetings of all pairs of players, computed from the sums of `deal_sums`."""

from collections.abc import Sequence

import numpy as np

from arena.tournaments.ratings.deal_sums import DealGroup, Integers, pair_columns
from arena.tournaments.ratings.solve import Floats

# Weights 1/(n-1) of matches with 2 to 6 seats are whole multiples of 1/60.
UNIT = 60


def weight(seats: int) -> int:
    """Returns 1/(n-1) in units of 1/60: the weight of a pair in a match of n seats."""
    return UNIT // max(seats - 1, 1)


def luck(seats: int) -> float:
    """Returns the ratio of the variance of u in one match to that of independent weighted pairs.

    Among equals, pairs that share a bot are correlated by 1/3: for n bots in random order, 2(S - p)
    has the variance (n+1)/(3(n-1)).
    """
    return (seats + 1) / (3 * max(seats - 1, 1))


def places(players: Integers, ids: Integers) -> Integers:
    """Returns the index of each id in `players`, which must be ascending."""
    lookup = np.zeros(int(players[-1]) + 1, dtype=np.int64)
    lookup[players] = np.arange(len(players))
    return np.asarray(lookup[ids])


def wins_by_seats(groups: Sequence[DealGroup], players: Integers) -> dict[int, Floats]:
    """Returns W (P, P) by number of seats: weighted wins of each player (ascending ids) against
    each other. Sums are in whole 120ths and therefore exact."""
    size = len(players)
    total: dict[int, Floats] = {}
    for group in groups:
        wins = total.setdefault(group.seats, np.zeros(size * size))
        seated = places(players, group.players)
        for column, (one, other) in enumerate(pair_columns(group.players.shape[1])):
            won = group.values[:, column]
            lost = 2 * group.meetings[:, column] * group.deals - won
            for first, second, halves in ((one, other, won), (other, one, lost)):
                place = seated[:, first] * size + seated[:, second]
                wins += np.bincount(place, weights=halves, minlength=size * size)
    return {
        seats: wins.reshape(size, size) * weight(seats) / (2.0 * UNIT)
        for seats, wins in total.items()
    }


def deals_together(groups: Sequence[DealGroup], players: Integers) -> Integers:
    """Returns (P, P): deals in which two players met; on the diagonal, deals of one player."""
    size = len(players)
    total = np.zeros(size * size)
    own = np.zeros(size)
    for group in groups:
        seated = places(players, group.players)
        for column in range(group.players.shape[1]):
            own += np.bincount(seated[:, column], weights=group.deals, minlength=size)
        for column, (one, other) in enumerate(pair_columns(group.players.shape[1])):
            met = np.where(group.meetings[:, column] > 0, group.deals, 0)
            place = seated[:, one] * size + seated[:, other]
            total += np.bincount(place, weights=met, minlength=size * size)
    pairs = total.reshape(size, size)
    return np.asarray(pairs + pairs.T + np.diag(own), dtype=np.int64)

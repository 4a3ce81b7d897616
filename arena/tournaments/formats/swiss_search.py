"""Larger tables for many bots: two change places again and again (tabu search).

From neighbours at one table, siblings among them spread over others, each step makes the best
change of places there is for one of those who meet somebody again, even if it is for the worse;
whoever has just changed places does not change back for a while, so that the search leaves the dead
ends. The best tables on the way are kept, and at the end changed as long as that brings bots nearer
together.
"""

from __future__ import annotations

import random
from collections import Counter

import numpy as np

from arena.tournaments.formats.spread import spread
from arena.tournaments.formats.swiss_costs import Costs, Matrix
from arena.tournaments.formats.swiss_places import Places

STEPS = 20_000  # at most
ROWS = 64  # bots whose changes a step looks at: with more, fewer steps could be made
REST, MORE_REST = 4, 30  # steps for which two do not change back: at least, and more by chance
FAR = 2**40  # meetings: nobody sits with themselves
LATER = 2**60  # on the costs of a change whose time has not come; more than any costs


def search(costs: Costs) -> list[list[int]]:
    """All places of the ranking at tables that cost little together."""
    places = Places(costs, _neighbours(costs))
    _descend(places)
    places = Places(costs, _fewest_repeats(places))
    _descend(places)
    return [table.tolist() for table in places.tables]


def _neighbours(costs: Costs) -> Matrix:
    tables = np.arange(costs.playing).reshape(-1, costs.size)
    return np.array(spread(tables.tolist(), costs.authors)) if costs.authors else tables


def _descend(places: Places) -> None:
    """Makes the best change of places as long as it is for the better."""
    while True:
        one, other = divmod(int(places.change.argmin()), len(places.change))
        if places.change[one, other] >= 0:
            return
        places.swap(one, other)


def _fewest_repeats(places: Places) -> Matrix:
    """The best tables on the way to as few repeats as there must be, or to the last step."""
    chance = random.Random(0)  # not of the tournament: what decides is the ranking alone
    resting = np.zeros_like(places.change)  # by two bots, the last step before they may change back
    best, tables = places.total, places.tables.copy()
    enough = (1 + unavoidable(places.costs)) * places.costs.repeat
    for step in range(1, STEPS + 1):
        if best < enough:
            break
        one, other = _best_change(places, resting, step, best, chance)
        places.swap(one, other)
        resting[one, other] = resting[other, one] = step + REST + int(chance.random() * MORE_REST)
        if places.total < best:
            best, tables = places.total, places.tables.copy()
    return tables


def _best_change(
    places: Places, resting: Matrix, step: int, best: int, chance: random.Random
) -> tuple[int, int]:
    """Of the changes that are allowed; one of two who rest only if it leads to the best so far."""
    bots = _some(np.flatnonzero(places.staying() >= places.costs.repeat), chance)
    changes = places.change[bots]
    changes[(resting[bots] >= step) & (changes >= best - places.total)] += LATER
    one, other = divmod(int(changes.argmin()), len(places.change))
    return int(bots[one]), other


def _some(bots: Matrix, chance: random.Random) -> Matrix:
    """All of them, or as many in a row as a step can look at."""
    start = int(chance.random() * len(bots))
    return np.roll(bots, -start)[:ROWS]


def unavoidable(costs: Costs) -> int:
    """A number of repeats that no tables can do with less of: everybody with whom they have met
    least often; or the siblings that have to meet, where each author's are spread evenly."""
    again = np.sort(costs.pairs // costs.repeat + np.diag(np.full(costs.playing, FAR)))
    repeats = -(-int(again[:, : costs.size - 1].sum()) // 2)
    return max(repeats, costs.sibling * _siblings(costs))


def _siblings(costs: Costs) -> int:
    """How many pairs of siblings have to meet at least."""
    tables = costs.playing // costs.size
    pairs = 0
    for bots in Counter(costs.authors).values():
        each, more = divmod(bots, tables)
        pairs += tables * each * (each - 1) // 2 + more * each
    return pairs

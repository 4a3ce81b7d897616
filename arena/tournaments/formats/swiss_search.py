"""Larger tables for many bots, by tabu search over swaps.

The search starts with neighbours in the ranking, siblings spread out. Each step makes the best swap
for one of the bots that meet someone again, even if it raises the cost. Bots that have just swapped
do not swap back for a while, so the search escapes local minima. Finally, the best tables found
are improved by descent, which brings bots nearer in rank together.
"""

import random
from collections import Counter

import numpy as np

from arena.tournaments.formats.spread import spread
from arena.tournaments.formats.swiss_costs import Costs, Matrix

STEPS = 20_000  # at most
ROWS = 64  # bots whose swaps a step examines; more would leave time for fewer steps
REST, MORE_REST = 4, 30  # steps before two may swap back: minimum, and random addition
FAR = 2**40  # meetings of a bot with itself, which never count
LATER = 2**60  # extra cost of a forbidden swap, exceeds any cost
NEVER = 2**61  # exceeds any cost; for two bots at the same table


class Places:
    """Tables of bots, with incrementally updated costs.

    `total` is the cost of all tables. `staying`, (N,), is the cost of each bot at its table.
    `change`, (N, N), is by how much the total rises if two bots swap places. A swap only affects
    two tables, so updates are cheap.
    """

    def __init__(self, costs: Costs, tables: Matrix) -> None:
        self.costs = costs
        self.tables = tables.copy()
        self._table = np.empty(costs.playing, np.int64)  # by bot
        self._table[tables] = np.arange(len(tables))[:, None]
        # (N, T), the cost of each bot with all bots of each table.
        self._joining = costs.pairs[:, tables].sum(axis=2)
        self._bots = np.arange(costs.playing)
        self.staying = self._staying()
        self.change = self._changes(self._bots)
        self.total = int(self.staying.sum()) // 2

    def _staying(self) -> Matrix:
        staying: Matrix = self._joining[self._bots, self._table]
        return staying

    def swap(self, one: int, other: int) -> None:
        """Swaps two bots of different tables."""
        self.total += int(self.change[one, other])
        here, there = self._table[one], self._table[other]
        for table, out, in_ in ((here, one, other), (there, other, one)):
            self._joining[:, table] += self.costs.pairs[:, in_] - self.costs.pairs[:, out]
            self.tables[table][self.tables[table] == out] = in_
            self._table[in_] = table
        self.staying = self._staying()
        moved = self.tables[[here, there]].ravel()
        changes = self._changes(moved)
        self.change[moved], self.change[:, moved] = changes, changes.T

    def _changes(self, bots: Matrix) -> Matrix:
        """Returns the rows of `change` for these bots."""
        at, staying = self._table, self.staying
        tables = at.take(bots)
        changes: Matrix = self._joining.take(bots, 0).take(at, 1)
        changes += self._joining.take(tables, 1).T
        changes -= staying.take(bots)[:, None]
        changes -= staying
        changes -= 2 * self.costs.pairs.take(bots, 0)
        np.copyto(changes, NEVER, where=tables[:, None] == at)
        return changes


def search(costs: Costs) -> list[list[int]]:
    """Returns tables of ranking places with a low total cost."""
    places = Places(costs, _neighbours(costs))
    _descend(places)
    places = Places(costs, _fewest_repeats(places))
    _descend(places)
    return [table.tolist() for table in places.tables]


def _neighbours(costs: Costs) -> Matrix:
    tables = np.arange(costs.playing).reshape(-1, costs.size)
    return np.array(spread(tables.tolist(), costs.authors)) if costs.authors else tables


def _descend(places: Places) -> None:
    """Makes the best swap for as long as it lowers the cost."""
    while True:
        one, other = divmod(int(places.change.argmin()), len(places.change))
        if places.change[one, other] >= 0:
            return
        places.swap(one, other)


def _fewest_repeats(places: Places) -> Matrix:
    """Returns the best tables found until repeats are minimal or steps run out."""
    chance = random.Random(0)  # independent of the tournament, so only the ranking decides
    resting = np.zeros_like(places.change)  # by two bots, the last step before they may swap again
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
    """Returns the best allowed swap. A resting pair may swap only to reach a new best."""
    bots = _some((places.staying >= places.costs.repeat).nonzero()[0], chance)
    changes = places.change.take(bots, 0)
    forbidden = (resting.take(bots, 0) >= step) & (changes >= best - places.total)
    np.add(changes, LATER, out=changes, where=forbidden)
    one, other = divmod(int(changes.argmin()), len(places.change))
    return int(bots[one]), other


def _some(bots: Matrix, chance: random.Random) -> Matrix:
    """Returns the bots, or ROWS consecutive ones from a random start."""
    start = int(chance.random() * len(bots))
    return np.concatenate((bots[start:], bots[:start]))[:ROWS]


def unavoidable(costs: Costs) -> int:
    """Returns a lower bound on repeats: each bot meets those it has met least, or, if siblings must
    meet, each author's bots are spread evenly."""
    again = np.sort(costs.pairs // costs.repeat + np.diag(np.full(costs.playing, FAR)))
    repeats = -(-int(again[:, : costs.size - 1].sum()) // 2)
    return max(repeats, costs.sibling * _siblings(costs))


def _siblings(costs: Costs) -> int:
    """Returns the least number of pairs of siblings that must meet."""
    tables = costs.playing // costs.size
    pairs = 0
    for bots in Counter(costs.authors).values():
        each, more = divmod(bots, tables)
        pairs += tables * each * (each - 1) // 2 + more * each
    return pairs

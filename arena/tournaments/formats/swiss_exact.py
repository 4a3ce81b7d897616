"""Optimal larger tables for few bots, by dynamic programming.

Tables are filled one at a time, each with the best unseated bot and any others. Later tables depend
only on the set of bots seated so far, so only the cheapest way to seat each set is kept. A set of
bots is a whole number with one bit for each bot.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from arena.tournaments.formats.swiss_costs import Costs, Matrix

MOST = 20  # bots; there are 2**MOST sets
CHUNK = 1 << 20  # pairs of a set and a table that are processed at once
UNKNOWN = 2**62  # more than any cost


def seat(costs: Costs) -> list[list[int]]:
    """Returns the tables of ranking places with the lowest total cost."""
    tables = np.array(list(combinations(range(costs.playing), costs.size)))
    sets = (1 << tables).sum(axis=1)
    prices = costs.pairs[tables[:, :, None], tables[:, None]].sum(axis=(1, 2)) // 2
    least = [_nobody(costs)]
    for _ in range(costs.playing // costs.size):
        least.append(_one_table_more(least[-1], sets, prices))
    return [tables[number].tolist() for number in _way(least, sets, prices)]


def _nobody(costs: Costs) -> Matrix:
    """Returns the cost by set of bots with no table filled."""
    least = np.full(1 << costs.playing, UNKNOWN)
    least[0] = 0
    return least


def _one_table_more(before: Matrix, sets: Matrix, prices: Matrix) -> Matrix:
    """Returns the least cost by set of bots with one more table than `before`."""
    least = np.full_like(before, UNKNOWN)
    for seated, tables in _steps(np.flatnonzero(before < UNKNOWN), sets):
        one, table = np.nonzero(seated[:, None] & sets[tables] == 0)
        one, table = seated[one], tables[table]
        np.minimum.at(least, one | sets[table], before[one] + prices[table])
    return least


def _steps(seated: Matrix, sets: Matrix) -> Iterator[tuple[Matrix, Matrix]]:
    """Yields sets of seated bots, with the tables at which the first unseated bot sits."""
    missing, first = ~seated & (seated + 1), sets & -sets
    for bot in np.unique(missing):
        tables = np.flatnonzero(first == bot)
        alike = seated[missing == bot]
        for part in np.array_split(alike, 1 + len(alike) * len(tables) // CHUNK):
            yield part, tables


def _way(least: list[Matrix], sets: Matrix, prices: Matrix) -> Iterator[int]:
    """Yields the numbers of the tables on the cheapest way, last one first."""
    seated = len(least[0]) - 1
    for before, after in zip(least[-2::-1], least[:0:-1], strict=True):
        fits = (seated & sets == sets) & (before[seated & ~sets] + prices == after[seated])
        number = int(np.flatnonzero(fits)[0])
        seated &= ~int(sets[number])
        yield number

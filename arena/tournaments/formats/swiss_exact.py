"""Larger tables for few bots: the cheapest of all ways to seat them, by dynamic programming.

Tables are filled one after the other, each time with the best bot that has no seat yet and any
others. All that matters for the tables to come is who is seated by then; of all ways to seat the
same bots the cheapest is kept. Sets of bots are whole numbers, a bit for each bot.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from arena.tournaments.formats.swiss_costs import Costs, Matrix

MOST = 20  # bots: there are 2 to the power of that many sets
CHUNK = 1 << 20  # pairs of a set and a table that are looked at in one go
UNKNOWN = 2**62  # more than any cost


def seat(costs: Costs) -> list[list[int]]:
    """All places of the ranking at the tables that cost least together."""
    tables = np.array(list(combinations(range(costs.playing), costs.size)))
    sets = (1 << tables).sum(axis=1)
    prices = costs.pairs[tables[:, :, None], tables[:, None]].sum(axis=(1, 2)) // 2
    least = [_nobody(costs)]
    for _ in range(costs.playing // costs.size):
        least.append(_one_table_more(least[-1], sets, prices))
    return [tables[number].tolist() for number in _way(least, sets, prices)]


def _nobody(costs: Costs) -> Matrix:
    """By set of bots what it costs to seat them at no table."""
    least = np.full(1 << costs.playing, UNKNOWN)
    least[0] = 0
    return least


def _one_table_more(before: Matrix, sets: Matrix, prices: Matrix) -> Matrix:
    """By set of bots the least that it costs to seat them, from the same with a table less."""
    least = np.full_like(before, UNKNOWN)
    for seated, tables in _steps(np.flatnonzero(before < UNKNOWN), sets):
        one, table = np.nonzero(seated[:, None] & sets[tables] == 0)
        one, table = seated[one], tables[table]
        np.minimum.at(least, one | sets[table], before[one] + prices[table])
    return least


def _steps(seated: Matrix, sets: Matrix) -> Iterator[tuple[Matrix, Matrix]]:
    """Sets of seated bots, and the tables at which the first who is missing sits."""
    missing, first = ~seated & (seated + 1), sets & -sets
    for bot in np.unique(missing):
        tables = np.flatnonzero(first == bot)
        alike = seated[missing == bot]
        for part in np.array_split(alike, 1 + len(alike) * len(tables) // CHUNK):
            yield part, tables


def _way(least: list[Matrix], sets: Matrix, prices: Matrix) -> Iterator[int]:
    """The tables by which the whole is reached at the least cost, the last one first."""
    seated = len(least[0]) - 1
    for before, after in zip(least[-2::-1], least[:0:-1], strict=True):
        fits = (seated & sets == sets) & (before[seated & ~sets] + prices == after[seated])
        number = int(np.flatnonzero(fits)[0])
        seated &= ~int(sets[number])
        yield number

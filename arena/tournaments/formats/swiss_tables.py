"""The tables of a Swiss round: as few repeated meetings as possible, then close in rank.

The result is optimal at two seats, and at larger tables for few bots. For many bots at larger
tables, a search approximates it. Siblings that are kept apart meet only if an author has more
bots than there are tables.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import rustworkx

from arena.tournaments.formats import swiss_search
from arena.tournaments.formats.swiss_costs import Costs, Matrix, Pairs, costs

Tables = list[list[int]]

# The sum of pseudorandom lots, one for each pair, breaks ties between matchings of equal cost. So
# the result does not depend on the order in which a version of the library visits pairs.
LOT_BITS = 48
LOTS_BITS = LOT_BITS + 16  # room for their sum over a round

FEW = 20  # bots for the best larger tables; there are 2**FEW sets
CHUNK = 1 << 20  # pairs of a set and a table that are processed at once
UNKNOWN = 2**62  # more than any cost


def seat(ranking: Sequence[int], size: int, met: Pairs, authors: Sequence[int] = ()) -> Tables:
    """Returns the entrants of a ranking, best first, at tables of `size`, which must divide their
    number. `authors`, by entrant, are kept apart; empty if none.

    The same ranking and meetings give the same tables on every machine. Tables are ordered by
    their best bot, and entrants at a table by rank.
    """
    tables = sorted(sorted(table) for table in _places(costs(ranking, size, met, authors)))
    return [[ranking[place] for place in table] for table in tables]


def _places(costs: Costs) -> Tables:
    """Returns the tables in places of the ranking."""
    if costs.size == 2:
        return _pairs(costs)
    if costs.playing <= FEW:
        return _best(costs)
    return swiss_search.search(costs)


def _pairs(costs: Costs) -> Tables:
    """Returns all places of the ranking in pairs with the lowest total cost."""
    edges = list(_edges(costs))
    dearest = max(cost for _, _, cost in edges)
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(costs.playing))
    graph.add_edges_from([(one, other, dearest - cost) for one, other, cost in edges])
    pairs = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return [list(both) for both in pairs]


def _edges(costs: Costs) -> Iterator[tuple[int, int, int]]:
    """Yields every pair with its cost, shifted by LOTS_BITS, plus its lot."""
    every = list(combinations(range(costs.playing), 2))
    size = LOT_BITS // 8
    lots = hashlib.shake_256(b"lama-arena/swiss pairs").digest(size * len(every))
    for number, (one, other) in enumerate(every):
        lot = int.from_bytes(lots[size * number : size * (number + 1)], "big")
        yield one, other, (int(costs.pairs[one, other]) << LOTS_BITS) + lot


def _best(costs: Costs) -> Tables:
    """Returns larger tables of ranking places with the lowest total cost.

    Tables are filled one at a time, each with the best unseated bot and any others. Later tables
    depend only on the set of bots seated so far, so only the cheapest way to seat each set is kept.
    A set of bots is a whole number with one bit for each bot.
    """
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

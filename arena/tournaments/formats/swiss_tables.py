"""The tables of a Swiss round: as few repeated meetings as possible, then close in rank.

The result is optimal at two seats, and at larger tables for few bots. For many bots at larger
tables, a search approximates it. Siblings that are kept apart meet only if an author has more
bots than there are tables.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import combinations

import rustworkx

from arena.tournaments.formats import swiss_exact, swiss_search
from arena.tournaments.formats.swiss_costs import Costs, Pairs, costs

Tables = list[list[int]]

# The sum of pseudorandom lots, one for each pair, breaks ties between matchings of equal cost. So
# the result does not depend on the order in which a version of the library visits pairs.
LOT_BITS = 48
LOTS_BITS = LOT_BITS + 16  # room for their sum over a round


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
    if costs.playing <= swiss_exact.MOST:
        return swiss_exact.seat(costs)
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

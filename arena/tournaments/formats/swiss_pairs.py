"""Swiss tables of two: a perfect matching of minimum cost."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import combinations

import rustworkx

from arena.tournaments.formats.swiss_costs import Costs

# The sum of pseudorandom lots, one for each pair, breaks ties between matchings of equal cost. So
# the result does not depend on the order in which a version of the library visits pairs.
LOT_BITS = 48
LOTS_BITS = LOT_BITS + 16  # room for their sum over a round


def pair(costs: Costs) -> list[list[int]]:
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

"""Tables of two: a perfect matching of the least cost."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import combinations

import rustworkx

from arena.tournaments.formats.swiss_costs import Costs

# Among matchings of equal cost the one with the least sum of these is taken: so many bits for each
# pair that hardly ever two have the same. Without them the answer would hang on the order in which
# the library looks at the pairs, which may change with its version.
LOT_BITS = 48
LOTS_BITS = LOT_BITS + 16  # their sum over a round has room in these


def pair(costs: Costs) -> list[list[int]]:
    """All places of the ranking in pairs that cost least together."""
    edges = list(_edges(costs))
    dearest = max(cost for _, _, cost in edges)
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(costs.playing))
    graph.add_edges_from([(one, other, dearest - cost) for one, other, cost in edges])
    pairs = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return [list(both) for both in pairs]


def _edges(costs: Costs) -> Iterator[tuple[int, int, int]]:
    """Every pair with its cost and, in the last bits, its lot."""
    every = list(combinations(range(costs.playing), 2))
    size = LOT_BITS // 8
    lots = hashlib.shake_256(b"lama-arena/swiss pairs").digest(size * len(every))
    for number, (one, other) in enumerate(every):
        lot = int.from_bytes(lots[size * number : size * (number + 1)], "big")
        yield one, other, (int(costs.pairs[one, other]) << LOTS_BITS) + lot

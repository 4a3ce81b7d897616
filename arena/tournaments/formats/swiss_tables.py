"""The tables of a round of Swiss: as few meet again as possible, then as near by as possible.

At two seats both are exact, and so they are at larger tables for few bots. For many bots at
larger tables a search comes as near to it as it can. Siblings that are to be kept apart meet only
where somebody has more bots than there are tables.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.tournaments.formats import swiss_exact, swiss_pairs, swiss_search
from arena.tournaments.formats.swiss_costs import Costs, Pairs, costs

Tables = list[list[int]]


def seat(ranking: Sequence[int], size: int, met: Pairs, authors: Sequence[int] = ()) -> Tables:
    """The entrants of a ranking, best first, at tables of `size`, which divides their number.
    `authors`, by entrant, are to be kept apart; empty: nobody.

    The same ranking and meetings give the same tables, on every machine. Tables come in the
    order of their best, and entrants at a table in the order of the ranking.
    """
    tables = sorted(sorted(table) for table in _places(costs(ranking, size, met, authors)))
    return [[ranking[place] for place in table] for table in tables]


def _places(costs: Costs) -> Tables:
    """The tables in places of the ranking."""
    if costs.size == 2:
        return swiss_pairs.pair(costs)
    if costs.playing <= swiss_exact.MOST:
        return swiss_exact.seat(costs)
    return swiss_search.search(costs)

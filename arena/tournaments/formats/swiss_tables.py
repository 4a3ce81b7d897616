"""The tables of a Swiss round: as few repeated meetings as possible, then close in rank.

The result is optimal at two seats, and at larger tables for few bots. For many bots at larger
tables, a search approximates it. Siblings that are kept apart meet only if an author has more
bots than there are tables.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.tournaments.formats import swiss_exact, swiss_pairs, swiss_search
from arena.tournaments.formats.swiss_costs import Costs, Pairs, costs

Tables = list[list[int]]


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
        return swiss_pairs.pair(costs)
    if costs.playing <= swiss_exact.MOST:
        return swiss_exact.seat(costs)
    return swiss_search.search(costs)

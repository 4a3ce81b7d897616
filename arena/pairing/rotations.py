"""Tables of entrants as matches: every deal once for each rotation of the seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.pairing.deals import derive
from arena.pairing.plan import PlannedMatch


def rotations(seed: int, deal: int, entrants: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The k rotations of one deal's table, its bots first put in a random order.

    Without that order the same bot would always sit to the left of the same other.
    """
    circle = sorted(entrants, key=lambda entrant: derive("circle", seed, deal, entrant))
    for turn in range(len(circle)):
        yield tuple(circle[turn:] + circle[:turn])


def block_of(
    seed: int, number: int, first_deal: int, tables: Sequence[Sequence[int]]
) -> tuple[PlannedMatch, ...]:
    """A block: a deal for each of these tables, deals numbered from `first_deal`.

    All tables, also of the blocks before, have equally many seats. Matches are shuffled, so that
    the rotations of one deal lie apart.
    """
    if not tables:
        return ()
    matches = [
        (deal, seats)
        for deal, table in enumerate(tables, first_deal)
        for seats in rotations(seed, deal, table)
    ]
    shuffled = sorted(range(len(matches)), key=lambda place: derive("order", seed, number, place))
    start = first_deal * len(tables[0])
    return tuple(
        PlannedMatch(start + index, *matches[place]) for index, place in enumerate(shuffled)
    )

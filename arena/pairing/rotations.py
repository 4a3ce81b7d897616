"""Tables of entrants as matches: who sits where in the matches of one deal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from arena.pairing.deals import derive
from arena.pairing.plan import PlannedMatch

# Of a seed, a deal and its entrants: the seatings of the deal's matches.
Seatings: TypeAlias = Callable[[int, int, Sequence[int]], Iterator[tuple[int, ...]]]


def rotations(seed: int, deal: int, entrants: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The k rotations of one deal's table, its bots first put in a random order.

    Without that order the same bot would always sit to the left of the same other.
    """
    circle = _circle(seed, deal, entrants)
    for turn in range(len(circle)):
        yield tuple(circle[turn:] + circle[:turn])


def mirrored(seed: int, deal: int, entrants: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """One seating in a random order, and the same with the first two entrants changed over.

    For two entrants these are the two rotations.
    """
    circle = _circle(seed, deal, entrants)
    yield tuple(circle)
    one, other = entrants[:2]
    changed = {one: other, other: one}
    yield tuple(changed.get(entrant, entrant) for entrant in circle)


def _circle(seed: int, deal: int, entrants: Sequence[int]) -> list[int]:
    return sorted(entrants, key=lambda entrant: derive("circle", seed, deal, entrant))


def block_of(
    seed: int,
    number: int,
    first_deal: int,
    tables: Sequence[Sequence[int]],
    seatings: Seatings = rotations,
) -> tuple[PlannedMatch, ...]:
    """A block: a deal for each of these tables, deals numbered from `first_deal`.

    All deals, also of the blocks before, have equally many matches. These are shuffled, so that
    the matches of one deal lie apart.
    """
    if not tables:
        return ()
    matches = [
        (deal, seats)
        for deal, table in enumerate(tables, first_deal)
        for seats in seatings(seed, deal, table)
    ]
    shuffled = sorted(range(len(matches)), key=lambda place: derive("order", seed, number, place))
    start = first_deal * (len(matches) // len(tables))
    return tuple(
        PlannedMatch(start + index, *matches[place]) for index, place in enumerate(shuffled)
    )

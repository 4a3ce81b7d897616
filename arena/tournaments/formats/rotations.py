"""Tables of entrants as matches: who sits where, and with which deal, in each cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from arena.tournaments.formats.cycles import deal_of
from arena.tournaments.formats.deals import derive
from arena.tournaments.formats.plan import PlannedMatch
from arena.tournaments.formats.spec import TournamentSpec

# Of a seed, a cycle's number and its entrants: the seatings of the cycle's matches.
Seatings: TypeAlias = Callable[[int, int, Sequence[int]], Iterator[tuple[int, ...]]]


def rotations(seed: int, cycle: int, entrants: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The k rotations of a table, its bots first put in a random order.

    Without that order the same bot would always sit to the left of the same other.
    """
    circle = _circle(seed, cycle, entrants)
    for turn in range(len(circle)):
        yield tuple(circle[turn:] + circle[:turn])


def mirrored(seed: int, cycle: int, entrants: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """One seating in a random order, and the same with the first two entrants changed over.

    For two entrants these are the two rotations.
    """
    circle = _circle(seed, cycle, entrants)
    yield tuple(circle)
    one, other = entrants[:2]
    changed = {one: other, other: one}
    yield tuple(changed.get(entrant, entrant) for entrant in circle)


def _circle(seed: int, cycle: int, entrants: Sequence[int]) -> list[int]:
    return sorted(entrants, key=lambda entrant: derive("circle", seed, cycle, entrant))


def block_of(
    spec: TournamentSpec,
    number: int,
    first_cycle: int,
    tables: Sequence[Sequence[int]],
    seatings: Seatings = rotations,
) -> tuple[PlannedMatch, ...]:
    """A block: a cycle for each of these tables, cycles numbered from `first_cycle`.

    All cycles, also of the blocks before, have equally many matches. These are shuffled, so that
    the matches of one cycle lie apart.
    """
    if not tables:
        return ()
    seed = spec.seed
    seated = [
        tuple(seatings(seed, cycle, table)) for cycle, table in enumerate(tables, first_cycle)
    ]
    length = len(seated[0])
    matches = [
        (deal_of(spec, cycle, turn, length), seats)
        for cycle, turns in enumerate(seated, first_cycle)
        for turn, seats in enumerate(turns)
    ]
    shuffled = sorted(range(len(matches)), key=lambda place: derive("order", seed, number, place))
    start = first_cycle * length
    return tuple(
        PlannedMatch(start + index, *matches[place]) for index, place in enumerate(shuffled)
    )

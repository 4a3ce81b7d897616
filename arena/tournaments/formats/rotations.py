"""Turns tables of entrants into matches: seats and deal for each match of a cycle."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from arena.tournaments.formats.cycles import deal_of
from arena.tournaments.formats.deals import derive
from arena.tournaments.formats.plan import PlannedMatch
from arena.tournaments.formats.spec import TournamentSpec

# Maps a seed, a cycle's number and its entrants to the seatings of the cycle's matches.
Seatings: TypeAlias = Callable[[int, int, Sequence[int]], Iterator[tuple[int, ...]]]


def rotations(seed: int, cycle: int, entrants: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yields the k rotations of a table, its bots in random order. Without the shuffle, the same
    bot would always sit to the left of the same other bot."""
    circle = _circle(seed, cycle, entrants)
    for turn in range(len(circle)):
        yield tuple(circle[turn:] + circle[:turn])


def mirrored(seed: int, cycle: int, entrants: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yields a seating in random order, and the same with the first two entrants swapped. For two
    entrants, these are the two rotations."""
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
    """Returns a block with one cycle for each of these tables, numbered from `first_cycle`.

    All cycles of a tournament must have the same number of matches. Matches are shuffled, which
    spreads out each cycle.
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

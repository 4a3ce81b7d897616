"""Round-robin for k seats: every k of the N entrants meet at a table, on the same number of deals.

The C(N, k) tables are gone through `deals` times, each time in another order; one table's
turn in one pass is a deal. Each deal is played k times, once for each rotation of the seats,
so that everybody has had everybody's cards and seat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb, gcd
from typing import TYPE_CHECKING

from arena.pairing.deals import derive
from arena.pairing.plan import PlannedMatch, Played

if TYPE_CHECKING:
    from arena.pairing.spec import TournamentSpec

BLOCK = 512  # matches, about: whole deals


class RoundRobin:
    """All tables, equally often; each block follows from the spec without the others."""

    needs_results = False

    def count(self, spec: TournamentSpec) -> int:
        """C(N, k) tables times deals times k rotations."""
        return _deals(spec) * spec.seats

    def block(
        self, spec: TournamentSpec, number: int, so_far: Sequence[Played] = ()
    ) -> tuple[PlannedMatch, ...]:
        """About 512 matches, shuffled so that the rotations of one deal lie apart."""
        per_block = max(1, BLOCK // spec.seats)
        first = number * per_block
        deals = range(first, min(first + per_block, _deals(spec)))
        matches = [(deal, seats) for deal in deals for seats in seatings(spec, deal)]
        shuffled = sorted(
            range(len(matches)), key=lambda place: derive("order", spec.seed, number, place)
        )
        start = first * spec.seats
        return tuple(
            PlannedMatch(start + index, *matches[place]) for index, place in enumerate(shuffled)
        )


def seatings(spec: TournamentSpec, deal: int) -> Iterator[tuple[int, ...]]:
    """The k rotations of one deal's table, its bots first put in a random order.

    Without that order the same bot would always sit to the left of the same other.
    """
    entrants = table(len(spec.bots), spec.seats, _table_number(spec, deal))
    circle = sorted(entrants, key=lambda entrant: derive("circle", spec.seed, deal, entrant))
    for turn in range(spec.seats):
        yield tuple(circle[turn:] + circle[:turn])


def table(entrants: int, seats: int, number: int) -> list[int]:
    """The table of that number, from 0, among all tables in lexicographic order."""
    chosen: list[int] = []
    candidate = 0
    while len(chosen) < seats:
        with_candidate = comb(entrants - candidate - 1, seats - len(chosen) - 1)
        if number < with_candidate:
            chosen.append(candidate)
        else:
            number -= with_candidate
        candidate += 1
    return chosen


def _deals(spec: TournamentSpec) -> int:
    return comb(len(spec.bots), spec.seats) * spec.deals


def _table_number(spec: TournamentSpec, deal: int) -> int:
    """Each pass walks through all tables with a stride and a start of its own.

    A stride without a common factor visits each table once, and spreads every entrant over
    the whole pass without anything having to be kept in memory.
    """
    tables = comb(len(spec.bots), spec.seats)
    turn, step = divmod(deal, tables)
    drawn = derive("pass", spec.seed, turn)
    start = int.from_bytes(drawn[:16], "big") % tables
    stride = 1 + int.from_bytes(drawn[16:], "big") % tables
    while gcd(stride, tables) != 1:
        stride += 1
    return (start + stride * step) % tables

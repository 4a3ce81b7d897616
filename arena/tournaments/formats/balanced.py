"""Tables for many entrants in which all pairs meet equally often, to within one meeting.

Entrants are placed on a circle of N places. Rotating a base table around the circle gives N
tables, an *orbit*. In an orbit every entrant plays exactly k times, and two entrants at distance
d meet once for each pair of the base table at distance d. So it suffices to find base tables in
which the distances 1 .. N/2 occur equally often, to within one. The distance N/2 counts twice,
because an orbit covers those pairs from both sides.

Simulated annealing with a fixed seed finds the base tables, so the same numbers always give the
same tables. If a small number of base tables cannot be balanced (no cyclic design of 25 entrants
in fours exists, for example), another base table is added.
"""

import random
from dataclasses import dataclass
from functools import lru_cache
from math import exp

STEPS = 40_000  # annealing steps before another base table is added
MOVABLE = 64  # base tables that annealing changes; earlier ones are only drawn evenly
CHOICES = 8
HEAT = 0.2


@dataclass(frozen=True, slots=True)
class Design:
    """Base tables on a circle of `entrants` places. `least` and `most` are the numbers of tables,
    over all orbits, at which a pair meets."""

    entrants: int
    base: tuple[tuple[int, ...], ...]
    least: int
    most: int

    @property
    def tables(self) -> int:
        """Number of tables: N for each base table."""
        return self.entrants * len(self.base)

    def table(self, number: int) -> list[int]:
        """Returns table `number` (from 0), ascending. Tables of an orbit are consecutive."""
        orbit, shift = divmod(number, self.entrants)
        return sorted((place + shift) % self.entrants for place in self.base[orbit])


def orbits(entrants: int, seats: int, meetings: int) -> int:
    """Returns the least number of orbits in which every pair can meet `meetings` times."""
    return -(-meetings * (entrants - 1) // (seats * (seats - 1)))


@lru_cache(maxsize=64)
def balanced(entrants: int, seats: int, meetings: int) -> Design:
    """Returns a design with as few orbits as the search finds. All pairs meet at least `meetings`
    times, and their numbers of meetings differ by at most one. Needs entrants > seats."""
    size = orbits(entrants, seats, meetings)
    while True:
        search = _Search(entrants, seats, size)
        if search.run():
            base = tuple(tuple(sorted(table)) for table in search.base)
            return Design(entrants, base, min(search.met[1:]), max(search.met[1:]))
        size += 1


class _Search:
    """Looks for base tables whose distances occur `low` or `low` + 1 times."""

    def __init__(self, entrants: int, seats: int, size: int) -> None:
        self.entrants, self.seats = entrants, seats
        self.chance = random.Random(f"{entrants} {seats} {size}")
        # Each orbit has N k(k-1)/2 meetings, for N(N-1)/2 pairs.
        self.low = size * seats * (seats - 1) // (entrants - 1)
        half = entrants // 2
        self.distance = [min(d, entrants - d) for d in range(entrants)]
        self.weight = [2 if 2 * d == entrants else 1 for d in range(half + 1)]
        self.met = [0] * (half + 1)  # meetings, by distance
        self.base: list[list[int]] = []
        for _ in range(max(0, size - MOVABLE)):
            self._add(min((self._draw() for _ in range(CHOICES)), key=self._met_already))
        self.fixed = len(self.base)
        for _ in range(size - self.fixed):
            self._add(self._draw())

    def run(self) -> bool:
        """Moves one place of one base table at a time. Returns whether all distances are even."""
        met, distance, weight, base = self.met, self.distance, self.weight, self.base
        below, movable = self._below, len(base) - self.fixed
        # By meetings, up to the most that the movable tables can add.
        highest = max(met) + movable * self.seats * (self.seats - 1)
        penalty = [self._penalty(times) for times in range(highest + 1)]
        cost = sum(penalty[times] for times in met[1:])
        for _ in range(STEPS):
            if not cost:
                return True
            table = base[self.fixed + below(movable)]
            index, new = below(self.seats), below(self.entrants)
            if new in table:
                continue
            old = table[index]
            others = table[:index] + table[index + 1 :]
            before, worse = met.copy(), 0
            for other in others:
                apart = distance[old - other]
                worse -= penalty[met[apart]]
                met[apart] -= weight[apart]
                worse += penalty[met[apart]]
            for other in others:
                apart = distance[new - other]
                worse -= penalty[met[apart]]
                met[apart] += weight[apart]
                worse += penalty[met[apart]]
            if worse <= 0 or self.chance.random() < exp(-worse / HEAT):
                table[index] = new
                cost += worse
            else:
                met = self.met = before
        return not cost

    def _below(self, limit: int) -> int:
        """Returns the number below `limit` that `randrange` would draw, several times faster."""
        draw, bits = self.chance.getrandbits, limit.bit_length()
        while (number := draw(bits)) >= limit:
            pass
        return number

    def _draw(self) -> list[int]:
        return self.chance.sample(range(self.entrants), self.seats)

    def _add(self, table: list[int]) -> None:
        for index, place in enumerate(table):
            for other in table[:index]:
                apart = self.distance[place - other]
                self.met[apart] += self.weight[apart]
        self.base.append(table)

    def _met_already(self, table: list[int]) -> int:
        return sum(
            self.met[self.distance[place - other]]
            for index, place in enumerate(table)
            for other in table[:index]
        )

    def _penalty(self, met: int) -> int:
        """Returns the squared distance of a count from `low` or `low` + 1."""
        if met < self.low:
            return (self.low - met) ** 2
        return max(0, met - self.low - 1) ** 2

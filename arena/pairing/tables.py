"""Which tables of k are played among n: all of them when they are few, else balanced ones.

Tables are gone through in passes. With all C(n, k) tables a pass is a *turn* of every one of
them, and there are as many passes as cycles. Beyond the limit there is one pass through a
balanced design, in which every pair meets in as many cycles as were asked for, or one more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import comb, gcd

from arena.errors import InvalidRequest
from arena.pairing.balanced import balanced, orbits
from arena.pairing.choices import one_of
from arena.pairing.deals import derive
from arena.rules.options import Option

ALL_UP_TO = 100_000  # matches
MOST_ENTRANTS = 200  # a design for more is possible, but takes long to be found
MOST_MEETINGS = 100

TABLES: Mapping[str, Option] = {
    "tables": Option(
        "auto",
        "all: every table that can be formed plays its number of matches; balanced: so many tables "
        "that every pair of bots meets in that number of matches or a few more; auto: all where "
        f"that makes at most {ALL_UP_TO:,} matches",
        one_of("auto", "all", "balanced"),
    )
}


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of `size` among `entrants`, for so many cycles of `length` matches; `choice` is
    "all", "balanced" or "auto"."""

    entrants: int
    size: int
    cycles: int
    seed: int
    length: int
    choice: str = "all"

    @property
    def every(self) -> bool:
        """Whether all tables are played, and not a balanced choice of them."""
        all_ = comb(self.entrants, self.size) * self.cycles
        if self.choice == "all" or self.size < 3 or self.entrants == self.size:
            return True
        few = self.entrants * orbits(self.entrants, self.size, self.cycles)
        if self.choice == "auto":
            return all_ * self.length <= ALL_UP_TO or all_ <= few
        return all_ <= few

    def check(self) -> None:
        """Raises InvalidRequest where a balanced design would take too long to be found."""
        if self.every:
            return
        if self.entrants > MOST_ENTRANTS or self.cycles > MOST_MEETINGS:
            raise InvalidRequest(
                f"Balanced tables are made for at most {MOST_ENTRANTS} bots, and for at most "
                f"{MOST_MEETINGS * self.length:,} matches between each two of them: take fewer, "
                "or the option tables=all."
            )

    @property
    def count(self) -> int:
        """How many cycles there are in all."""
        if self.every:
            return comb(self.entrants, self.size) * self.cycles
        return balanced(self.entrants, self.size, self.cycles).tables

    @property
    def meetings(self) -> tuple[int, int]:
        """In how many cycles two entrants meet, at least and at most, once all are played."""
        if self.every:
            each = comb(self.entrants - 2, self.size - 2) * self.cycles if self.size > 1 else 0
            return each, each
        design = balanced(self.entrants, self.size, self.cycles)
        return design.least, design.most

    def table(self, cycle: int) -> list[int]:
        """The entrants at the table of a cycle, ascending."""
        if self.every:
            return combination(self.entrants, self.size, self._place(cycle))
        return self._balanced(cycle)

    def _place(self, cycle: int) -> int:
        """Each pass walks through all tables with a stride and a start of its own.

        A stride without a common factor visits each table once, and spreads every entrant over
        the whole pass without anything having to be kept in memory.
        """
        tables = comb(self.entrants, self.size)
        turn, step = divmod(cycle, tables)
        return _walk(self.seed, turn, tables, step)

    def _balanced(self, cycle: int) -> list[int]:
        """One orbit after the other, so that all have sat equally often, but each on a walk, and
        the entrants on the circle in random order."""
        design = balanced(self.entrants, self.size, self.cycles)
        orbit, step = divmod(cycle, self.entrants)
        place = _walk(self.seed, orbit, self.entrants, step)
        circle = _circle(self.seed, self.entrants)
        return sorted(circle[at] for at in design.table(orbit * self.entrants + place))


def _walk(seed: int, turn: int, places: int, step: int) -> int:
    drawn = derive("pass", seed, turn)
    start = int.from_bytes(drawn[:16], "big") % places
    stride = 1 + int.from_bytes(drawn[16:], "big") % places
    while gcd(stride, places) != 1:
        stride += 1
    return (start + stride * step) % places


@lru_cache(maxsize=16)
def _circle(seed: int, entrants: int) -> list[int]:
    return sorted(range(entrants), key=lambda entrant: derive("places", seed, entrant))


def combination(entrants: int, size: int, number: int) -> list[int]:
    """The table of that number, from 0, among all tables in lexicographic order."""
    chosen: list[int] = []
    candidate = 0
    while len(chosen) < size:
        with_candidate = comb(entrants - candidate - 1, size - len(chosen) - 1)
        if number < with_candidate:
            chosen.append(candidate)
        else:
            number -= with_candidate
        candidate += 1
    return chosen

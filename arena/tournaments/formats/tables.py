"""The tables of k among n bots: all of them if there are few, else balanced ones.

Tables are visited in passes. With all C(n, k) tables, each pass visits every table, and there are
as many passes as cycles. Above the limit, there is one pass through a balanced design, in which
every pair meets in the requested number of cycles, or one more.

If siblings (bots of the same owner) are kept apart, "all tables" are those without siblings
(`subsets`), and a balanced design is changed until it has none (`repaired`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import comb, gcd
from threading import Lock
from typing import TYPE_CHECKING

from arena.base.errors import InvalidRequest
from arena.games.rules.options import Option
from arena.tournaments.formats import subsets
from arena.tournaments.formats.balanced import balanced, orbits
from arena.tournaments.formats.choices import OneOf
from arena.tournaments.formats.cycles import cycles
from arena.tournaments.formats.deals import derive
from arena.tournaments.formats.plan import BLOCK
from arena.tournaments.formats.siblings import apart
from arena.tournaments.formats.spec import TournamentSpec

if TYPE_CHECKING:
    from arena.tournaments.formats.repaired import Numbers, Repaired

_repairing = Lock()

ALL_UP_TO = 100_000  # matches
ALL_ADVISED_UP_TO = 1_000_000  # matches
MOST_ENTRANTS = 200  # larger designs exist, but take long to find
MOST_MEETINGS = 100

TABLES: Mapping[str, Option] = {
    "tables": Option(
        "auto",
        "all: every possible table plays that many matches; balanced: enough tables for each pair "
        "of bots to meet in that many matches, or a few more; auto: all if that is at most "
        f"{ALL_UP_TO:,} matches, else balanced",
        OneOf(("auto", "all", "balanced")),
    )
}


@dataclass(frozen=True, slots=True)
class Tables:
    """Tables of `size` among `entrants`, for `cycles` cycles of `length` matches. `choice` is
    "all", "balanced" or "auto". `authors`, by entrant, are kept apart; empty if none."""

    entrants: int
    size: int
    cycles: int
    seed: int
    length: int
    choice: str = "all"
    authors: tuple[int, ...] = ()

    @classmethod
    def among(cls, spec: TournamentSpec, entrants: range, size: int) -> Tables:
        """Returns the tables of `size` among these entrants, counted from 0."""
        choice = spec.format_options.get("tables", "all")
        authors = apart(spec, entrants, size)
        return cls(len(entrants), size, cycles(spec), spec.seed, spec.seats, choice, authors)

    @property
    def every(self) -> bool:
        """Whether all tables are played instead of a balanced selection."""
        all_ = self._different * self.cycles
        if self.choice == "all" or self.size < 3 or self.entrants == self.size:
            return True
        few = self.entrants * orbits(self.entrants, self.size, self.cycles)
        if self.choice == "auto":
            return all_ * self.length <= ALL_UP_TO or all_ <= few
        return all_ <= few

    def check(self) -> None:
        """Raises InvalidRequest if a balanced design would take too long to find."""
        if self.every:
            return
        if self.entrants > MOST_ENTRANTS or self.cycles > MOST_MEETINGS:
            raise InvalidRequest(
                f"Balanced tables support at most {MOST_ENTRANTS} bots, and at most "
                f"{MOST_MEETINGS * self.length:,} matches between each pair. Choose fewer"
                f"{self._or_all}."
            )

    @property
    def _or_all(self) -> str:
        """The alternative to a balanced design, if it does not need too many matches."""
        matches = comb(self.entrants, self.size) * self.cycles * self.length
        if matches > ALL_ADVISED_UP_TO:
            return ""
        return f", or the option tables=all, which makes {matches:,} matches"

    @property
    def count(self) -> int:
        """Number of cycles in all."""
        if self.every:
            return self._different * self.cycles
        return balanced(self.entrants, self.size, self.cycles).tables

    def of_block(self, number: int) -> range:
        """Returns the cycles of a block of about BLOCK matches."""
        per_block = max(1, BLOCK // self.length)
        first = number * per_block
        return range(first, min(first + per_block, self.count))

    @property
    def meetings(self) -> tuple[int, int]:
        """The least and most cycles in which two entrants that are not kept apart meet in total."""
        if self.authors:
            least, most = self._apart.meetings if not self.every else self._scaled(subsets.meetings)
            return least, most
        if self.every:
            each = comb(self.entrants - 2, self.size - 2) * self.cycles if self.size > 1 else 0
            return each, each
        design = balanced(self.entrants, self.size, self.cycles)
        return design.least, design.most

    @property
    def sittings(self) -> tuple[int, int]:
        """The least and most cycles in which an entrant sits in total."""
        if self.authors:
            return self._apart.sittings if not self.every else self._scaled(subsets.sittings)
        each = self.count * self.size // self.entrants
        return each, each

    def table(self, cycle: int) -> list[int]:
        """Returns the entrants at the table of a cycle, ascending."""
        if not self.every:
            return self._apart.tables[cycle].tolist() if self.authors else self._balanced(cycle)
        if self.authors:
            return subsets.subset(self.authors, self.size, self._place(cycle))
        return combination(self.entrants, self.size, self._place(cycle))

    @property
    def _different(self) -> int:
        """Number of different tables."""
        if self.authors:
            return subsets.count(self.authors, self.size)
        return comb(self.entrants, self.size)

    @property
    def _apart(self) -> Repaired:
        """The balanced design without siblings, in scheduled order."""
        return _repaired(self)

    def _scaled(self, of: Callable[[tuple[int, ...], int], tuple[int, int]]) -> tuple[int, int]:
        least, most = of(self.authors, self.size)
        return least * self.cycles, most * self.cycles

    def _place(self, cycle: int) -> int:
        """Returns the number of the table of a cycle. Each pass has its own stride and start.

        A stride coprime to the number of tables visits each table once, and spreads every
        entrant's tables over the pass, without storing a permutation.
        """
        tables = self._different
        turn, step = divmod(cycle, tables)
        return _walk(self.seed, turn, tables, step)

    def _balanced(self, cycle: int) -> list[int]:
        """Returns the table of a cycle in a balanced design. Orbits are visited one at a time, so
        that sittings stay even. Entrants are placed on the circle in random order."""
        design = balanced(self.entrants, self.size, self.cycles)
        orbit, step = divmod(cycle, self.entrants)
        place = _walk(self.seed, orbit, self.entrants, step)
        circle = _circle(self.seed, self.entrants)
        return sorted(circle[at] for at in design.table(orbit * self.entrants + place))


def _walk(seed: int, turn: int, places: int, step: int) -> int:
    start, stride = _way(seed, turn, places)
    return (start + stride * step) % places


def _way(seed: int, turn: int, places: int) -> tuple[int, int]:
    """Returns the start and stride of a pass."""
    digest = derive("pass", seed, turn)
    start = int.from_bytes(digest[:16], "big") % places
    stride = 1 + int.from_bytes(digest[16:], "big") % places
    while gcd(stride, places) != 1:
        stride += 1
    return start, stride


def _repaired(tables: Tables) -> Repaired:
    with _repairing:  # large designs take seconds; other threads wait for the cached result
        return _cached_repair(tables)


@lru_cache(maxsize=8)
def _cached_repair(tables: Tables) -> Repaired:
    from arena.tournaments.formats.repaired import repair  # here, since its library loads slowly

    return repair(_scheduled(tables), tables.authors, tables.seed)


def _scheduled(tables: Tables) -> Numbers:
    """Returns all tables of the balanced design, (count, size), in scheduled order."""
    import numpy as np

    places = tables.entrants
    circle, steps = np.array(_circle(tables.seed, places)), np.arange(places)
    orbits_ = []
    for turn, base in enumerate(balanced(places, tables.size, tables.cycles).base):
        start, stride = _way(tables.seed, turn, places)
        shifts = (start + stride * steps) % places
        orbits_.append(circle[(np.array(base) + shifts[:, None]) % places])
    return np.concatenate(orbits_)


@lru_cache(maxsize=16)
def _circle(seed: int, entrants: int) -> list[int]:
    return sorted(range(entrants), key=lambda entrant: derive("places", seed, entrant))


def combination(entrants: int, size: int, number: int) -> list[int]:
    """Returns table `number` (from 0) of all tables in lexicographic order."""
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

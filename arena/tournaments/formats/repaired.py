"""Changes balanced tables so that no siblings (bots of the same owner) meet at them.

First, places are swapped: one of two siblings moves to another table, and a bot from there takes
its place. Of several candidate swaps, drawn from the tournament's seed, the best one is made. It
leaves the fewest siblings and then spoils the balance least. The measure of balance is the sum
over pairs of squared meetings, which is minimal if all pairs meet equally often. Every bot
keeps its number of sittings.

Remaining conflicts are resolved along chains (see `spread`), which always works if no owner has
more places than there are tables. Otherwise, bots of other owners take some of the places, each
time the bot that has met the others at the table least. The owner's bots then share its places as
equally as possible. At the end, more swaps make the meetings more even, up to a number of rounds.

All arithmetic is in whole numbers and in a fixed order, so the same tables, authors and seed give
the same result on every machine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.tournaments.formats.spread import spread

Numbers = NDArray[np.int64]

CHANGES = 24  # candidate swaps for each place in large designs
ALL_CHANGES = 1024  # largest number of places in a design for which all swaps are tried
AT_ONCE = 32  # pairs of bots for each seat of the tables that are changed in one step
ROUNDS = 40  # most rounds of removing conflicts
EVEN_ROUNDS, EVEN_TABLES = 40, 300_000  # limits for making meetings more even: rounds, tables
NEAR = 16  # tables that a chain may lead to
SUBSTITUTED_AT_ONCE = 64

SIBLING = 1 << 32  # extra cost of two siblings, more than all meetings of a table
NEVER = 1 << 48  # extra cost of a bot with itself


@dataclass(frozen=True)
class Repaired:
    """Tables without siblings, (T, k), entrants ascending. `meetings` has the least and most
    tables at which two bots of different owners meet, `sittings` the least and most of one bot."""

    tables: NDArray[np.int16]
    meetings: tuple[int, int]
    sittings: tuple[int, int]


def repair(tables: Numbers, authors: Sequence[int], seed: int) -> Repaired:
    """Returns the changed tables. `tables` is (T, k); there must be at least k authors."""
    repairing = _Repair(tables, authors, seed)
    repairing.clear()
    repairing.make_even()
    return repairing.result()


class _Repair:
    """The current `tables`, and how often each two entrants meet: `met`, (N, N), symmetric."""

    def __init__(self, tables: Numbers, authors: Sequence[int], seed: int) -> None:
        self.tables = tables.astype(np.int64)
        self.count, self.size = tables.shape
        self.authors = np.array(authors, dtype=np.int64)
        self.entrants = len(authors)
        self.extra = np.where(self.authors[:, None] == self.authors, SIBLING, 0)
        np.fill_diagonal(self.extra, NEVER)
        self.met = self._meetings(self.tables)
        self.chance = _Chance(seed)
        self.exhaustive = self.tables.size <= ALL_CHANGES
        # Swaps made together are chosen independently, so few of them should share a pair.
        self.at_once = max(1, self.entrants**2 // (AT_ONCE * self.size))

    def result(self) -> Repaired:
        apart = self.authors[:, None] != self.authors
        met, sat = self.met[apart], np.bincount(self.tables.ravel(), minlength=self.entrants)
        return Repaired(
            np.sort(self.tables, axis=1).astype(np.int16),
            (int(met.min()), int(met.max())),
            (int(sat.min()), int(sat.max())),
        )

    def clear(self) -> None:
        """Removes siblings from all tables, as far as possible."""
        left = self._with_siblings()
        for _ in range(ROUNDS):
            if not len(left):
                return
            self._change(left, -SIBLING // 2, clearing=True)
            before, left = len(left), self._with_siblings()
            if len(left) * 50 > before * 49:
                break
        places = np.bincount(self.authors[self.tables.ravel()])
        if len(left) and places.max() <= self.count:
            tables = spread(self.tables.tolist(), self.authors.tolist(), NEAR)
            self.tables = np.array(tables, dtype=np.int64)
            self.met = self._meetings(self.tables)
            return
        while len(left):
            for rows in _parts(left, SUBSTITUTED_AT_ONCE):
                self._substitute(rows)
            left = self._with_siblings()
        for author in np.unique(self.authors):
            self._share_places(np.flatnonzero(self.authors == author))

    def make_even(self) -> None:
        """Swaps places as long as this makes the meetings more even."""
        # With squared meetings m, one more for a pair costs 2m + 1, one less saves 2m - 1.
        worth = -4 * (self.size - 1)
        left = EVEN_TABLES
        for _ in range(EVEN_ROUNDS):
            tables = np.arange(min(self.count, left))
            if not len(tables) or not self._change(tables, worth - 1, clearing=False):
                return
            left -= len(tables)

    def _with_siblings(self) -> Numbers:
        """Returns the numbers of the tables at which siblings sit."""
        seated = np.sort(self.authors[self.tables], axis=1)
        return np.flatnonzero((seated[:, 1:] == seated[:, :-1]).any(axis=1))

    def _meetings(self, tables: Numbers) -> Numbers:
        """Returns (N, N): the number of these tables at which two meet. The diagonal is unused."""
        pairs = tables[:, :, None] * self.entrants + tables[:, None, :]
        met = np.bincount(pairs.ravel(), minlength=self.entrants**2)
        return met.reshape(self.entrants, self.entrants)

    def _change(self, rows: Numbers, most: int, *, clearing: bool) -> int:
        """Makes the best swap for each of these tables if it raises the cost by at most `most`.
        When `clearing`, only siblings move. Returns the number of swaps made."""
        changed = 0
        each = self.tables.size if self.exhaustive else CHANGES
        for part in _parts(rows, self.at_once):
            prices = 2 * self.met + self.extra
            at = self._places(part, each, prices, clearing=clearing)
            there, beside = self._partners(len(part), each)
            rise = self._rise(prices, part, at, there, beside)
            best = np.arange(len(part)), rise.argmin(axis=1)
            moves = np.stack([part, at[best], there[best], beside[best]])
            changed += self._make(moves[:, rise[best] <= most])
        return changed

    def _places(self, rows: Numbers, each: int, prices: Numbers, *, clearing: bool) -> Numbers:
        """Returns the place to try at each table for each candidate swap, (rows, each)."""
        numbers = self.chance.numbers(len(rows) * each).reshape(len(rows), each)
        if not clearing:
            any_: Numbers = numbers % self.size
            return any_
        seated = self.tables[rows]
        price = prices[seated[:, :, None], seated[:, None, :]].sum(axis=2)
        sibling = price - NEVER >= SIBLING
        first = np.argsort(~sibling, axis=1, kind="stable")
        # An earlier swap may have cleared the table.
        count = np.maximum(sibling.sum(axis=1), 1)[:, None]
        places: Numbers = np.take_along_axis(first, numbers % count, axis=1)
        return places

    def _partners(self, rows: int, each: int) -> tuple[Numbers, Numbers]:
        """Returns the other table and place of each candidate swap, both (rows, each)."""
        if self.exhaustive:
            number = np.broadcast_to(np.arange(self.tables.size), (rows, each))
        else:
            number = self.chance.numbers(rows * each).reshape(rows, each) % self.tables.size
        table, place = np.divmod(number, self.size)
        return table, place

    def _rise(
        self, prices: Numbers, rows: Numbers, at: Numbers, there: Numbers, beside: Numbers
    ) -> Numbers:
        """Returns the rise in cost, (rows, each), of swapping the bots at places `at` of these
        tables with those at places `beside` of the tables `there`."""
        flat, seated = prices.ravel(), self.tables[rows]
        leaving = np.take_along_axis(seated, at, axis=1)
        coming = self.tables.ravel().take(there * self.size + beside)
        out, in_ = leaving * self.entrants, coming * self.entrants
        rise: Numbers = flat.take(out + leaving) + flat.take(in_ + coming)
        rise -= 2 * flat.take(out + coming)
        for place in range(self.size):
            here = seated[:, place, None]
            rise += flat.take(in_ + here) - flat.take(out + here)
            other = self.tables[:, place].take(there)
            rise += flat.take(out + other) - flat.take(in_ + other)
        return rise

    def _make(self, moves: Numbers) -> int:
        """Makes those swaps whose tables no earlier swap touches. Returns their number."""
        here, at, there, beside = moves
        order = np.arange(len(here))
        first = np.full(self.count, len(here))
        np.minimum.at(first, here, order)
        np.minimum.at(first, there, order)
        free = (first[here] == order) & (first[there] == order)
        here, at, there, beside = moves[:, free]
        touched = np.concatenate([here, there])
        self.met -= self._meetings(self.tables[touched])
        coming = self.tables[there, beside]
        self.tables[there, beside] = self.tables[here, at]
        self.tables[here, at] = coming
        self.met += self._meetings(self.tables[touched])
        return len(here)

    def _substitute(self, rows: Numbers) -> None:
        """At each table, replaces a sibling with the bot that has met the others least."""
        prices = 2 * self.met + self.extra
        seated = self.tables[rows]
        own = prices[seated[:, :, None], seated[:, None, :]].sum(axis=2)
        place = own.argmax(axis=1)  # the bot with siblings here that has met the others most
        out = seated[np.arange(len(rows)), place]
        others = prices[seated].sum(axis=1) - prices[out]  # by table, with every bot
        coming = others.argmin(axis=1)
        self.met -= self._meetings(seated)
        self.tables[rows, place] = coming
        self.met += self._meetings(self.tables[rows])

    def _share_places(self, siblings: Numbers) -> None:
        """Moves places from the bot that sits most to the bot that sits least, until the numbers
        of sittings of these siblings differ by at most one. The least-met tables move first."""
        while True:
            sat = np.bincount(self.tables.ravel(), minlength=self.entrants)[siblings]
            most, least = siblings[sat.argmax()], siblings[sat.argmin()]
            handed = (sat.max() - sat.min()) // 2
            if not handed:
                return
            rows, places = np.nonzero(self.tables == most)
            met = self.met[least, self.tables[rows]].sum(axis=1) - self.met[least, most]
            chosen = np.argsort(met, kind="stable")[:handed]
            rows, places = rows[chosen], places[chosen]
            self.met -= self._meetings(self.tables[rows])
            self.tables[rows, places] = least
            self.met += self._meetings(self.tables[rows])


class _Chance:
    """Pseudorandom numbers that do not depend on library versions (SplitMix64)."""

    def __init__(self, seed: int) -> None:
        self.state = seed % 2**64

    def numbers(self, count: int) -> Numbers:
        """Returns `count` numbers from 0 below 2**63."""
        steps = np.arange(1, count + 1, dtype=np.uint64)
        mixed = np.uint64(self.state) + steps * np.uint64(0x9E3779B97F4A7C15)
        self.state = (self.state + count * 0x9E3779B97F4A7C15) % 2**64
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
        return (mixed >> np.uint64(1)).astype(np.int64)


def _parts(rows: Numbers, size: int) -> Iterator[Numbers]:
    """Yields the rows in chunks of `size`."""
    for first in range(0, len(rows), size):
        yield rows[first : first + size]

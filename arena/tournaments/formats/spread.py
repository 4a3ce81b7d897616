"""Tables that somebody has drawn, changed as little as need be so that no siblings sit together.

Of each table one bot sits in each *row*: in a knockout the rows are the better and the worse
seeds, and every bot keeps to its row. Two siblings at a table change over with bots of the same
row at other tables, with the nearest first. If no such change does, the bots of two tables change
over in more than one row: along a chain in which each change makes room for the one before.

That is how a bipartite graph of authors and rows is coloured with tables as colours (Kőnig):
such tables exist, and are found, if and only if nobody has more bots than there are tables. Who
has more meets their own as seldom as can be found in this way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest

Tables = list[list[int]]  # entrants by table and row


def spread(tables: Sequence[Sequence[int]], authors: Sequence[int], near: int = 0) -> Tables:
    """The tables without siblings, where there are such; `authors` by entrant.

    Other tables are looked at in the order of their distance: all that have no bot of an author
    who has two at one, or with `near` so many of them.
    """
    spreading = _Spread([list(table) for table in tables], authors, near)
    changed = True
    while changed:  # who had three of theirs at a table may have two at another one now
        changed = False
        for table in range(len(tables)):
            changed |= spreading.clear(table)
    return spreading.tables


class _Spread:
    def __init__(self, tables: Tables, authors: Sequence[int], near: int) -> None:
        self.tables, self.authors, self.near = tables, authors, near
        self.seated = [Counter(authors[entrant] for entrant in table) for table in tables]
        self.without: dict[int, set[int]] = {}  # by author, if asked for, the tables without it

    def clear(self, table: int) -> bool:
        """Changes places until there are no siblings at the table, or nothing is left to try;
        whether anything was changed."""
        changed = False
        while self._one_less(table):
            changed = True
        return changed

    def _one_less(self, table: int) -> bool:
        """Makes the first change that helps, if there are siblings and such a change."""
        rows = [
            row
            for row in reversed(range(len(self.tables[table])))
            if self.seated[table][self._author(table, row)] > 1
        ]
        for longest in (1, len(self.tables[table])):
            for row in rows:
                for other in self._others(table, row):
                    chain = self._chain(table, other, row)
                    if 0 < len(chain) <= longest:
                        self._change(table, other, chain)
                        return True
        return False

    def _author(self, table: int, row: int) -> int:
        return self.authors[self.tables[table][row]]

    def _others(self, table: int, row: int) -> list[int]:
        """The tables without the author's bots, the nearest first; if there are none, those with
        fewer by two."""
        author = self._author(table, row)
        if author not in self.without:
            self.without[author] = set(self._with_at_most(author, 0))
        others: Iterable[int] = self.without[author]
        if not others and self.seated[table][author] > 2:
            others = self._with_at_most(author, self.seated[table][author] - 2)
        return nsmallest(
            self.near or len(self.tables), others, key=lambda other: (abs(other - table), other)
        )

    def _with_at_most(self, author: int, most: int) -> Iterator[int]:
        return (at for at, seated in enumerate(self.seated) if seated[author] <= most)

    def _chain(self, table: int, other: int, row: int) -> list[int]:
        """The rows in which two tables change over, so that none has more siblings than before;
        empty if it comes back to the author it began with."""
        chain, begun = [row], self._author(table, row)
        while True:
            # Who comes from the other table must not find a bot of their own.
            coming = self._author(other, chain[-1])
            if coming == begun:
                return []
            there = [
                at
                for at in range(len(self.tables[table]))
                if at not in chain and self._author(table, at) == coming
            ]
            if not there:
                return chain
            chain.append(there[0])

    def _change(self, table: int, other: int, rows: Sequence[int]) -> None:
        here, there = self.tables[table], self.tables[other]
        for row in rows:
            leaving, coming = self._author(table, row), self._author(other, row)
            here[row], there[row] = there[row], here[row]
            for at, less, more in ((table, leaving, coming), (other, coming, leaving)):
                self._count(at, less, -1)
                self._count(at, more, 1)

    def _count(self, table: int, author: int, more: int) -> None:
        self.seated[table][author] += more
        without = self.without.get(author, set())
        if self.seated[table][author]:
            without.discard(table)
        else:
            without.add(table)

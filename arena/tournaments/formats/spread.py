"""Changes drawn tables as little as possible so that no siblings sit together.

Each table has one bot in each *row*. In a knockout, rows are seed ranges, and every bot keeps its
row. Of two siblings at a table, one swaps with a bot of the same row at another table, the nearest
first. If no such swap helps, the bots of two tables swap in more than one row, along a chain in
which each swap makes room for the previous one.

This colours a bipartite graph of authors and rows with tables as colours (Kőnig). A solution
exists, and is found, if and only if no author has more bots than there are tables. The bots of an
author with more meet as rarely as this method can achieve.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest

Tables = list[list[int]]  # entrants by table and row


def spread(tables: Sequence[Sequence[int]], authors: Sequence[int], near: int = 0) -> Tables:
    """Returns the tables without siblings, as far as possible; `authors` by entrant.

    Candidates are the tables without a bot of the conflicting author, by distance. `near` limits
    their number; 0 means all.
    """
    spreading = _Spread([list(table) for table in tables], authors, near)
    changed = True
    while changed:  # three siblings at a table may have become two, which others can take
        changed = False
        for table in range(len(tables)):
            changed |= spreading.clear(table)
    return spreading.tables


class _Spread:
    def __init__(self, tables: Tables, authors: Sequence[int], near: int) -> None:
        self.tables, self.authors, self.near = tables, authors, near
        self.seated = [Counter(authors[entrant] for entrant in table) for table in tables]
        self.without: dict[int, set[int]] = {}  # by author: tables without its bots, a cache

    def clear(self, table: int) -> bool:
        """Swaps places until no siblings are left at the table or no swap helps. Returns whether
        anything changed."""
        changed = False
        while self._one_less(table):
            changed = True
        return changed

    def _one_less(self, table: int) -> bool:
        """Makes the first swap that helps. Returns whether there was one."""
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
        """Returns the tables without the author's bots, nearest first. If there are none, returns
        those with at least two fewer."""
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
        """Returns the rows in which two tables swap without adding siblings to either. Empty if
        the chain returns to its first author."""
        chain, begun = [row], self._author(table, row)
        while True:
            # The bot from the other table must not meet a sibling here.
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

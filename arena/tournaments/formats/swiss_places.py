"""The seating of a Swiss round, with the change in cost for every possible swap."""

from __future__ import annotations

import numpy as np

from arena.tournaments.formats.swiss_costs import Costs, Matrix

NEVER = 2**61  # exceeds any cost; for two bots at the same table


class Places:
    """Tables of bots, with incrementally updated costs.

    `total` is the cost of all tables. `staying`, (N,), is the cost of each bot at its table.
    `change`, (N, N), is by how much the total rises if two bots swap places. A swap only affects
    two tables, so updates are cheap.
    """

    def __init__(self, costs: Costs, tables: Matrix) -> None:
        self.costs = costs
        self.tables = tables.copy()
        self._table = np.empty(costs.playing, np.int64)  # by bot
        self._table[tables] = np.arange(len(tables))[:, None]
        # (N, T), the cost of each bot with all bots of each table.
        self._joining = costs.pairs[:, tables].sum(axis=2)
        self._bots = np.arange(costs.playing)
        self.staying = self._staying()
        self.change = self._changes(self._bots)
        self.total = int(self.staying.sum()) // 2

    def _staying(self) -> Matrix:
        staying: Matrix = self._joining[self._bots, self._table]
        return staying

    def swap(self, one: int, other: int) -> None:
        """Swaps two bots of different tables."""
        self.total += int(self.change[one, other])
        here, there = self._table[one], self._table[other]
        for table, out, in_ in ((here, one, other), (there, other, one)):
            self._joining[:, table] += self.costs.pairs[:, in_] - self.costs.pairs[:, out]
            self.tables[table][self.tables[table] == out] = in_
            self._table[in_] = table
        self.staying = self._staying()
        moved = self.tables[[here, there]].ravel()
        changes = self._changes(moved)
        self.change[moved], self.change[:, moved] = changes, changes.T

    def _changes(self, bots: Matrix) -> Matrix:
        """Returns the rows of `change` for these bots."""
        at, staying = self._table, self.staying
        tables = at.take(bots)
        changes: Matrix = self._joining.take(bots, 0).take(at, 1)
        changes += self._joining.take(tables, 1).T
        changes -= staying.take(bots)[:, None]
        changes -= staying
        changes -= 2 * self.costs.pairs.take(bots, 0)
        np.copyto(changes, NEVER, where=tables[:, None] == at)
        return changes

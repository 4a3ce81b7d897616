"""Who sits where in a round of Swiss, and what any two would change by changing places."""

from __future__ import annotations

import numpy as np

from arena.tournaments.formats.swiss_costs import Costs, Matrix

NEVER = 2**61  # more than any cost: for two who sit at one table already


class Places:
    """Tables of bots, kept together with what follows from them.

    `change` has by two bots what the costs of all tables together (`total`) rise by if these two
    change places. Keeping it costs little: two tables change with a swap, and no others.
    """

    def __init__(self, costs: Costs, tables: Matrix) -> None:
        self.costs = costs
        self.tables = tables.copy()
        self._table = np.empty(costs.playing, np.int64)  # by bot
        self._table[tables] = np.arange(len(tables))[:, None]
        self._joining = costs.pairs[:, tables].sum(
            axis=2
        )  # by bot and table, with all who sit there
        self.change = self._changes(np.arange(costs.playing))
        self.total = int(self.staying().sum()) // 2

    def staying(self) -> Matrix:
        """By bot what it costs together with the others at its table."""
        staying: Matrix = self._joining[np.arange(len(self._table)), self._table]
        return staying

    def swap(self, one: int, other: int) -> None:
        """Two bots of different tables change places."""
        self.total += int(self.change[one, other])
        here, there = self._table[one], self._table[other]
        for table, out, in_ in ((here, one, other), (there, other, one)):
            self._joining[:, table] += self.costs.pairs[:, in_] - self.costs.pairs[:, out]
            self.tables[table][self.tables[table] == out] = in_
            self._table[in_] = table
        moved = self.tables[[here, there]].ravel()
        changes = self._changes(moved)
        self.change[moved], self.change[:, moved] = changes, changes.T

    def _changes(self, bots: Matrix) -> Matrix:
        """The rows of `change` of these bots."""
        at, staying = self._table, self.staying()
        apart = self._joining[bots][:, at] + self._joining[:, at[bots]].T
        changes: Matrix = apart - staying[bots][:, None] - staying - 2 * self.costs.pairs[bots]
        changes[at[bots][:, None] == at] = NEVER
        return changes

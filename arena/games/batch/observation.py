"""Columns of observations, built from permitted parts, like views.

The name of a column for a seat ends with its distance to the left of the deciding seat: "points +0"
are the deciding seat's points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from arena.games.batch.arrays import Int, Int16, entries
from arena.games.batch.rounds import Rounds

# Names of columns, and their values (N, columns), or with more axes in the order of the names.
Known: TypeAlias = list[tuple[Sequence[str], Int]]


def by_place(seats: int, names: Sequence[str]) -> list[str]:
    """Returns the names of columns for every seat, nearest first."""
    return [f"{name} +{place}" for place in range(seats) for name in names]


class Observed(Rounds):
    """N games of which the deciding seats can be given what they know."""

    def known(self) -> Known:
        """Returns the columns of an observation with their values, for all games."""
        phases = self.phase[:, None] == np.arange(len(self.rules.phases))
        return [
            ([f"phase {phase}" for phase in self.rules.phases], phases),
            (["round"], self.round[:, None]),
            (by_place(self.seats, ["active"]), self.turned(self.active)),
            (by_place(self.seats, ["points"]), self.turned(self.points)),
        ]

    def turned(self, by_seat: Int) -> Int:
        """Rotates an array by seat (N, seats, …), so that the deciding seat comes first."""
        seats = (self.seat[:, None] + np.arange(self.seats)) % self.seats
        return entries(by_seat, np.arange(len(self))[:, None], seats)

    def observe(self) -> Int16:
        """Returns the information of the deciding seats (INFO-1, INFO-3), (N, C), as numbers.

        It excludes cards of other hands, of the draw pile or put aside, and everything that depends
        on them. It is the current state without the order of past moves. Finished games have zeros.
        """
        parts = [values.reshape(len(self), -1) for _, values in self.known()]
        seen = np.concatenate(parts, axis=1, dtype=np.int16)
        seen[self.finished] = 0
        return seen

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `observe`, (C,)."""
        return tuple(name for names, _ in self.known() for name in names)

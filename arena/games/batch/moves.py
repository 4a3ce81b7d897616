"""The public moves of a round, in many games at once."""

from __future__ import annotations

from typing import Self

import numpy as np

from arena.games.batch.arrays import Index, Int, UInt8

NO_MOVE = 255  # stands behind the last move of a game


class Moves:
    """Who did what in the present round of N games, oldest first. The arrays are to be read only.

    An action alone is kept: dice are not.
    """

    seats: UInt8  # (N, L): whose move it was
    actions: UInt8  # (N, L): an index in the notation of the game
    counts: Index  # (N,): how many moves there are; NO_MOVE stands in both arrays from there on

    def __init__(self, count: int) -> None:
        self.seats, self.actions = np.full((2, count, 32), NO_MOVE, np.uint8)
        self.counts = np.zeros(count, np.intp)

    @classmethod
    def of(cls, count: int, whose: Int, moves: UInt8) -> Self:
        """Those of `count` games from what `Seen.played` gives: whose each is (M,), in ascending
        order, and its bytes (M, bytes)."""
        made = cls(count)
        totals = np.bincount(whose, minlength=count)
        made._widen(int(totals.max(initial=0)))
        places = np.arange(len(whose)) - (totals.cumsum() - totals)[whose]
        made.seats[whose, places], made.actions[whose, places] = moves[:, 0], moves[:, 1]
        made.counts = totals
        return made

    def note(self, games: Index, seats: Int, actions: Int) -> None:
        """Adds a move to each of these games (M,)."""
        places = self.counts[games]
        self._widen(int(places.max(initial=0)) + 1)
        self.seats[games, places], self.actions[games, places] = seats, actions
        self.counts[games] += 1

    def clear(self, games: Index) -> None:
        """A round begins in these games (M,)."""
        self.seats[games] = self.actions[games] = NO_MOVE
        self.counts[games] = 0

    def take_last(self, games: Index) -> tuple[UInt8, UInt8]:
        """Removes the last move of each of these games (M,), which have one: seats and actions."""
        self.counts[games] -= 1
        last = games, self.counts[games]
        seats, actions = self.seats[last], self.actions[last]
        self.seats[last] = self.actions[last] = NO_MOVE
        return seats, actions

    def select(self, games: Index) -> Moves:
        """Copies of those of these games (M,), which may name one several times."""
        made, width = Moves(0), max(1, int(self.counts[games].max(initial=0)))
        made.seats, made.actions = self.seats[games, :width], self.actions[games, :width]
        made.counts = self.counts[games]
        return made

    def _widen(self, width: int) -> None:
        """Makes room for so many moves."""
        more = width - self.actions.shape[1]
        if more > 0:
            more = max(more, self.actions.shape[1])
            fill = ((0, 0), (0, more))
            self.seats = np.pad(self.seats, fill, constant_values=NO_MOVE)
            self.actions = np.pad(self.actions, fill, constant_values=NO_MOVE)

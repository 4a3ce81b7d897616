"""The public moves of a round, for batches of games."""

from __future__ import annotations

from typing import Self

import numpy as np

from arena.games.batch.arrays import Index, Int, UInt8

NO_MOVE = 255  # after the last move of a game


class Moves:
    """The moves of the current round of N games, oldest first. Do not write to the arrays. Only
    actions are kept, not dice."""

    seats: UInt8  # (N, L): the acting seat
    actions: UInt8  # (N, L): index into the game's notation
    counts: Index  # (N,): number of moves; both arrays have NO_MOVE from there on

    def __init__(self, count: int) -> None:
        self.seats, self.actions = np.full((2, count, 32), NO_MOVE, np.uint8)
        self.counts = np.zeros(count, np.intp)

    @classmethod
    def of(cls, count: int, whose: Int, moves: UInt8) -> Self:
        """Takes moves in the form that `Decisions.played` returns: the game of each move
        (M,), ascending, and its bytes (M, bytes)."""
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
        """Removes all moves of these games (M,)."""
        self.seats[games] = self.actions[games] = NO_MOVE
        self.counts[games] = 0

    def take_last(self, games: Index) -> tuple[UInt8, UInt8]:
        """Removes the last move of each of these games (M,). Returns seats and actions."""
        self.counts[games] -= 1
        last = games, self.counts[games]
        seats, actions = self.seats[last], self.actions[last]
        self.seats[last] = self.actions[last] = NO_MOVE
        return seats, actions

    def select(self, games: Index) -> Moves:
        """Returns copies for these games (M,), which may be repeated."""
        made, width = Moves(0), max(1, int(self.counts[games].max(initial=0)))
        made.seats = self.seats[:, :width].take(games, axis=0)
        made.actions = self.actions[:, :width].take(games, axis=0)
        made.counts = self.counts.take(games)
        return made

    def _widen(self, width: int) -> None:
        """Makes room for `width` moves."""
        more = width - self.actions.shape[1]
        if more > 0:
            more = max(more, self.actions.shape[1])
            fill = ((0, 0), (0, more))
            self.seats = np.pad(self.seats, fill, constant_values=NO_MOVE)
            self.actions = np.pad(self.actions, fill, constant_values=NO_MOVE)

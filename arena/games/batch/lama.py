"""Batch simulation of L.A.M.A., the base game."""

import numpy as np

from arena.games.batch.arrays import Index, Int8, UInt8
from arena.games.batch.shedding import SheddingGames
from arena.games.rules.lama import Lama
from arena.games.rules.rounds import NOBODY


class LamaGames(SheddingGames):
    """The deck of LAMA-1; tokens of 1 and 10 points (LAMA-2)."""

    rules = Lama
    state = (*SheddingGames.state, "last_player")

    last_player: Int8  # (N,): the seat that played the last card of the round; -1 if none

    def set_up(self) -> None:
        """Adds the array of last players."""
        super().set_up()
        self.last_player = np.full(len(self), NOBODY, np.int8)

    def note_plays(self, games: Index, seats: Int8) -> None:
        """Keeps the last one."""
        self.last_player[games] = seats

    def deal_cards(self, games: Index, decks: UInt8) -> None:
        """The start card does not count as played (LAMA-4)."""
        super().deal_cards(games, decks)
        self.last_player[games] = NOBODY

    def play(self, games: Index, kinds: UInt8) -> tuple[Index, Index]:
        """Also records the player."""
        self.last_player[games] = self.seat[games]
        return super().play(games, kinds)

    def next_starter(self, games: Index) -> Int8:
        """Returns the last player of a card (LAMA-31, -32), else the last to act (LAMA-33)."""
        last = self.last_player[games]
        return np.where(last == NOBODY, super().next_starter(games), last)

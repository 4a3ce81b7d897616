"""Tokens of 1 and 10 points that can be swapped one way only: ten whites for a black."""

import numpy as np

from arena.games.batch.arrays import Bool, Index, Int8, Int16
from arena.games.batch.games import Games
from arena.games.batch.rounds import Known, by_place
from arena.games.decisions import Decisions
from arena.games.rules.tokens import TEN


class TokenGames(Games):
    """Games in which the exact tokens matter. `points` are computed from them."""

    state = (*Games.state, "whites", "blacks")

    whites: Int16  # (N, seats): tokens of 1 point
    blacks: Int16  # (N, seats): tokens of 10 points

    def set_up(self) -> None:
        super().set_up()
        self.whites, self.blacks = np.zeros((2, len(self), self.seats), np.int16)

    def fill(self, decisions: Decisions) -> None:
        """Fills all tokens."""
        super().fill(decisions)
        self.whites[:], self.blacks[:] = decisions.column("whites"), decisions.column("blacks")

    def receive(self, games: Index, points: Int16) -> None:
        """Players take white and black tokens, as few as possible (DICE-26, KAD-56, KAD-57)."""
        super().receive(games, points)
        self.whites[games] += points % np.int16(TEN)
        self.blacks[games] += points // np.int16(TEN)

    def returnable(self, games: Index, seats: Int8) -> Bool:
        """A 1 or a 10; ten whites may be swapped first (DICE-27, DICE-28, KAD-58)."""
        whites, blacks = self.whites[games, seats], self.blacks[games, seats]
        return np.stack((whites > 0, (blacks > 0) | (whites >= TEN)), axis=1)

    def return_tokens(self, games: Index, seats: Int8, worth: Int16) -> None:
        """A 10 is a black, or ten swapped whites."""
        super().return_tokens(games, seats, worth)
        black = (worth == TEN) & (self.blacks[games, seats] > 0)
        self.blacks[games, seats] -= black
        self.whites[games, seats] -= worth * ~black

    def known(self) -> Known:
        """Adds all tokens, which are public."""
        return [
            *super().known(),
            (by_place(self.seats, ["whites"]), self.turned(self.whites)),
            (by_place(self.seats, ["blacks"]), self.turned(self.blacks)),
        ]

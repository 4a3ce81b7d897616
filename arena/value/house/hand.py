"""What the strategies of house bots look at, of all deciding seats."""

from __future__ import annotations

from functools import cache

import numpy as np

from arena.batch.arrays import Bool, Int
from arena.batch.kadabra import KadabraGames
from arena.batch.shedding import SheddingGames
from arena.rules import game_class
from arena.rules.tokens import TEN
from arena.value.cards import steps

NO_OTHER = 6  # cards in the shortest other hand, where nobody else is in the round
FAR = 99


class Hand:
    """The cards of the deciding seats."""

    def __init__(self, games: SheddingGames) -> None:
        self.games, self.all = games, np.arange(len(games))
        self.own = (self.all, games.seat)
        self.points = games.points[self.own]

    def penalty(self) -> Int:
        """What the cards would score, without the magic token (N,)."""
        penalty: Int = self.games.penalty(self.all)[self.own]
        if isinstance(self.games, KadabraGames):
            penalty = penalty - TEN * (self.games.magic == self.games.seat)
        return penalty

    def shortest_other(self) -> Int:
        """Cards in the shortest hand of the others in the round (N,)."""
        others = self.games.active.copy()
        others[self.own] = False
        sizes: Int = np.where(others, self.games.sizes.astype(np.int16), FAR).min(axis=1)
        sizes[sizes == FAR] = NO_OTHER
        return sizes

    def nearest(self) -> Int:
        """Steps from the top card to the nearest card in hand (N,)."""
        held = self.games.hands[self.own] > 0
        away = steps_from(self.games.rules.name)[self.games.top]
        nearest: Int = np.where(held, away, FAR).min(axis=1)
        return nearest

    def holds(self, kind: int) -> Bool:
        """Where there is a card of this kind (N,)."""
        held: Bool = self.games.hands[self.own][:, kind] > 0
        return held


@cache
def steps_from(game: str) -> Int:
    """By top card and card: how many steps up the circle (K, K)."""
    kinds = game_class(game).kinds
    return np.array([[steps(card, top) for card in kinds] for top in kinds], np.int16)

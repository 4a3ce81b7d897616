"""What each seat's moves say about how it plays: which of the house's bots it is like.

A card is worth little to whoever plays at random, and much to whoever plays well. A net that is to
say how a match ends should know who it is about, and a few decisions tell much of it.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Index, Int
from arena.value.network import Floats
from arena.value.strategies import STYLES, choose
from arena.value.strategies.styles import RANDOM

LIKE_NOBODY = 0.1  # how often a player does any legal action, whoever it is like
MOST = 30.0  # by how much a logarithm is below that of the likeliest, at most


class Beliefs:
    """How likely each seat of N games plays as each of STYLES, from what it did in the match."""

    def __init__(self, games: int, seats: int) -> None:
        """Of newly begun games: nothing is known."""
        self._logs = np.zeros((games, seats, len(STYLES)), np.float32)

    def note(self, games: Games, actions: Int) -> None:
        """Learns from legal actions (N,) that the deciding seats of all games are about to take."""
        self.learn(np.arange(len(games)), games.seat, log_likelihoods(games, actions))

    def learn(self, games: Index, seats: Int, logs: Floats) -> None:
        """Learns from an action of a seat (M,) of each of these games (M,): `log_likelihoods`."""
        known = self._logs[games, seats] + logs
        known -= known.max(axis=1, keepdims=True)
        self._logs[games, seats] = np.maximum(known, -MOST)

    def forget(self, games: Index) -> None:
        """Of games that have begun anew, nothing is known."""
        self._logs[games] = 0

    def select(self, games: Index) -> Self:
        """Those of some games."""
        made = type(self)(0, 0)
        made._logs = self._logs[games]
        return made

    def shares(self) -> Floats:
        """How likely each seat plays as each style (N, seats, S); at first all are as likely."""
        made = np.exp(self._logs)
        made /= made.sum(axis=2, keepdims=True)
        return made


def log_likelihoods(games: Games, actions: Int) -> Floats:
    """By style, the logarithm of how likely a player like it takes these legal actions (N, S); 0
    where there is no choice."""
    legal = games.offered().legal.sum(axis=1)
    by_chance = 1 / np.maximum(legal, 1)
    made = np.empty((len(games), len(STYLES)), np.float32)
    for style in range(len(STYLES)):
        if style == RANDOM:
            made[:, style] = by_chance
        else:
            same = choose(games, np.full(len(games), style, np.int8), NO_CHANCE) == actions
            made[:, style] = (1 - LIKE_NOBODY) * same + LIKE_NOBODY * by_chance
    made[legal < 2] = 1
    return np.log(made)


NO_CHANCE = np.random.default_rng(0)  # the strategies asked about leave nothing to chance

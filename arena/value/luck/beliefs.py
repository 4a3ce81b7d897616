"""What each seat's moves say about how it plays: which of the house's bots it is like.

A card is worth little to whoever plays at random, and much to whoever plays well. A net that is to
say how a match ends should know who it is about, and a few decisions tell much of it.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from arena.batch import Games
from arena.batch.arrays import Index, Int
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
        games = games.offered()
        legal = games.legal.sum(axis=1)
        free = np.flatnonzero(legal > 1)
        if not len(free):
            return
        if len(free) < len(legal):
            games, actions, legal = games.select(free), actions[free], legal[free]
        made = np.empty((len(free), len(STYLES)), np.float32)
        for style in range(len(STYLES)):
            if style == RANDOM:
                made[:, style] = 1 / legal
                continue
            same = choose(games, np.full(len(free), style, np.int8), NO_CHANCE) == actions
            made[:, style] = (1 - LIKE_NOBODY) * same + LIKE_NOBODY / legal
        logs = self._logs[free, games.seat] + np.log(made)
        logs -= logs.max(axis=1, keepdims=True)
        self._logs[free, games.seat] = np.maximum(logs, -MOST)

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


NO_CHANCE = np.random.default_rng(0)  # the strategies asked about leave nothing to chance

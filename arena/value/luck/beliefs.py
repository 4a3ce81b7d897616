"""The style of each seat, inferred from its moves: a probability for each house bot.

A card is worth little to a player at random and much to a good player. So the model needs the style
of each seat, and a few decisions reveal much of it.
"""

from typing import Self

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Index, Int, entries
from arena.value.network import Floats
from arena.value.strategies import STYLES, choose
from arena.value.strategies.styles import RANDOM

LIKE_NOBODY = 0.1  # share of decisions in which any style plays a random legal action
MOST = 30.0  # the largest difference in logarithms between a style and the likeliest one


class Beliefs:
    """The probabilities of STYLES for each seat of N games, from its moves in the match."""

    def __init__(self, games: int, seats: int) -> None:
        """Start with equal probabilities, for new games."""
        self._logs = np.zeros((games, seats, len(STYLES)), np.float32)

    def note(self, games: Games, actions: Int) -> None:
        """Update by legal actions (N,) that the deciding seats of all games are about to take."""
        self.learn(np.arange(len(games)), games.seat, log_likelihoods(games, actions))

    def learn(self, games: Index, seats: Int, logs: Floats) -> None:
        """Update by `log_likelihoods` of an action of a seat (M,) of each of these games (M,)."""
        known = entries(self._logs, games, seats) + logs
        known -= known.max(axis=1, keepdims=True)
        self._logs[games, seats] = np.maximum(known, -MOST)

    def forget(self, games: Index) -> None:
        """Reset games that have restarted."""
        self._logs[games] = 0

    def select(self, games: Index) -> Self:
        """Return the beliefs of some games."""
        made = type(self)(0, 0)
        made._logs = self._logs.take(games, axis=0)
        return made

    def shares(self) -> Floats:
        """Return the probability of each style for each seat (N, seats, S)."""
        made = np.exp(self._logs)
        made /= made.sum(axis=2, keepdims=True)
        return made


def log_likelihoods(games: Games, actions: Int) -> Floats:
    """Return the log-probability of these legal actions under each style (N, S); 0 if forced."""
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


NO_CHANCE = np.random.default_rng(0)  # not used: these strategies are deterministic

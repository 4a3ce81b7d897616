"""The house's bots for many games at once: they choose what `arena.bots` choose, to the action.

styles = rng.integers(len(STYLES), size=(len(games), games.seats))       # who sits where
games.step(choose(games, deciding(games, styles), rng))
"""

from __future__ import annotations

import numpy as np

from arena.batch import Games
from arena.batch.arrays import Int
from arena.batch.dice import DiceGames
from arena.batch.shedding import SheddingGames
from arena.value.strategies import dice, shedding
from arena.value.strategies.styles import RANDOM, STYLES

__all__ = ["STYLES", "choose", "deciding"]


def choose(games: Games, styles: Int, rng: np.random.Generator) -> Int:
    """An action for each game (N,), by the strategy with this number in STYLES (N,).

    What stands for finished games means nothing. Raises TypeError for other games.
    """
    if isinstance(games, DiceGames):
        chosen = dice.choose(games, styles)
    elif isinstance(games, SheddingGames):
        chosen = shedding.choose(games, styles)
    else:
        raise TypeError(f"There are no strategies for {games.rules.title}.")
    random = np.flatnonzero(styles == RANDOM)
    if len(random):
        chosen[random] = games.random_actions(rng)[random]
    return chosen


def deciding(games: Games, styles: Int) -> Int:
    """The strategies (N,) of the seats that decide, of those by seat (N, seats)."""
    by_game: Int = styles[np.arange(len(games)), games.seat]
    return by_game

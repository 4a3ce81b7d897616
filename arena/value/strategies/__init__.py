"""The house's bots for many games at once: they choose what `arena.bots` choose, to the action.

styles = rng.integers(len(STYLES), size=(len(games), games.seats))       # who sits where
games.step(choose(games, deciding(games, styles), rng))
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arena.games.batch import Games
from arena.games.batch.arrays import Int
from arena.games.batch.dice import DiceGames
from arena.games.batch.shedding import SheddingGames
from arena.value.strategies import dice, shedding
from arena.value.strategies.styles import RANDOM, SHARP, STYLES

__all__ = ["STYLES", "choose", "deciding", "sharp_margin"]


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


def sharp_margin(games: Games) -> npt.NDArray[np.float64]:
    """By how many points the deciding seats are above those at which `sharp` quits (N,)."""
    if isinstance(games, DiceGames):
        return dice.sharp_margin(games)
    assert isinstance(games, SheddingGames)
    everyone = np.arange(len(games))
    points = shedding.penalty(games, everyone)
    return points - shedding.limits(games, everyone, np.full(len(games), SHARP, np.int8))


def deciding(games: Games, styles: Int) -> Int:
    """The strategies (N,) of the seats that decide, of those by seat (N, seats)."""
    by_game: Int = styles[np.arange(len(games)), games.seat]
    return by_game

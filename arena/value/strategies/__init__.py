"""The house bots for many games at once, with exactly the same actions as in `arena.bots`.

styles = rng.integers(len(STYLES), size=(len(games), games.seats))       # by seat
games.step(choose(games, deciding(games, styles), rng))
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arena.games.batch import Games
from arena.games.batch.arrays import Int, entries
from arena.games.batch.dice import DiceGames
from arena.games.batch.shedding import SheddingGames
from arena.value.strategies import dice, shedding
from arena.value.strategies.styles import RANDOM, SHARP, STYLES

__all__ = ["STYLES", "choose", "deciding", "sharp_margin"]

# Takes games and returns a legal action for each (N,), or any number for a finished game. It uses
# only what the deciding seats may know.
Policy: TypeAlias = Callable[[Games, np.random.Generator], Int]


def choose(games: Games, styles: Int, rng: np.random.Generator) -> Int:
    """Return an action for each game (N,) by its style (N,), a number in STYLES. Actions of
    finished games are undefined. Raises TypeError for games without strategies."""
    if isinstance(games, DiceGames):
        chosen = dice.choose(games, styles)
    elif isinstance(games, SheddingGames):
        chosen = shedding.choose(games, styles)
    else:
        raise TypeError(f"There are no strategies for {games.rules.title}.")
    random = (styles == RANDOM).nonzero()[0]
    if len(random):
        chosen[random] = games.random_actions(rng)[random]
    return chosen


def sharp_margin(games: Games) -> npt.NDArray[np.float64]:
    """Return the points by which the deciding seats exceed the quitting limit of `sharp` (N,)."""
    if isinstance(games, DiceGames):
        return dice.sharp_margin(games)
    assert isinstance(games, SheddingGames)
    everyone = np.arange(len(games))
    points = shedding.penalty(games, everyone)
    return points - shedding.limits(games, everyone, np.full(len(games), SHARP, np.int8))


def deciding(games: Games, styles: Int) -> Int:
    """Return the styles (N,) of the deciding seats, given those by seat (N, seats)."""
    return entries(styles, np.arange(len(games)), games.seat)


def house_policy(name: str) -> Policy:
    """Return the policy of a house bot in all games. Raises ValueError for other names."""
    style = STYLES.index(name)
    return lambda games, rng: choose(games, np.full(len(games), style, np.int8), rng)

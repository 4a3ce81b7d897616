"""Players unlike any house bot, to test inference on moves that it does not expect.

Each has a wish for every turn. If it has none, or the wish is not legal, `sharp` chooses.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.games.batch import Games
from arena.games.batch.arrays import Int
from arena.games.batch.rounds import TURN
from arena.games.batch.shedding import SheddingGames
from arena.games.rules.shedding import DRAW, PLAY, QUIT
from arena.value.cards import worth
from arena.value.strategies import Policy, house_policy
from arena.value.strategies.shedding import penalty

Wish: TypeAlias = Callable[[SheddingGames, np.random.Generator], Int]

Ranks: TypeAlias = npt.NDArray[np.float64] | Int

NONE: Final = -1  # stands for no wish
MANY: Final = 15  # points in hand with which `rich` quits


def unusual(name: str) -> Policy:
    """Return the player of this name in UNUSUAL, for games with hidden hands."""
    wish, sharp = UNUSUAL[name], house_policy("sharp")

    def choose(games: Games, rng: np.random.Generator) -> Int:
        assert isinstance(games, SheddingGames)
        wished = wish(games, rng)
        legal = games.legal[np.arange(len(games)), np.maximum(wished, 0)]
        fits = (games.phase == TURN) & (wished != NONE) & legal
        return np.where(fits, wished, sharp(games, rng))

    return choose


def draws(games: SheddingGames, rng: np.random.Generator) -> Int:
    """Draws although it could play."""
    return np.full(len(games), DRAW)


def often_draws(games: SheddingGames, rng: np.random.Generator) -> Int:
    """Draws in half of its turns."""
    return np.where(rng.random(len(games)) < 0.5, DRAW, NONE)


def leaves(games: SheddingGames, rng: np.random.Generator) -> Int:
    """Quits at its first turn."""
    return np.full(len(games), QUIT)


def leaves_soon(games: SheddingGames, rng: np.random.Generator) -> Int:
    """Quits in half of its turns."""
    return np.where(rng.random(len(games)) < 0.5, QUIT, NONE)


def stays(games: SheddingGames, rng: np.random.Generator) -> Int:
    """Plays any card or else draws, and never quits if it can do so."""
    return _best(games, rng.random((len(games), len(games.rules.kinds))), DRAW)


def highest(games: SheddingGames, rng: np.random.Generator) -> Int:
    """Plays the card that scores the most."""
    values = [worth(kind) for kind in games.rules.kinds]
    return _best(games, np.broadcast_to(np.array(values), (len(games), len(values))), NONE)


def rich(games: SheddingGames, rng: np.random.Generator) -> Int:
    """Quits with many points, and never with few."""
    points = penalty(games, np.arange(len(games)))
    return np.where(points >= MANY, QUIT, stays(games, rng))


def _best(games: SheddingGames, ranks: Ranks, otherwise: int) -> Int:
    """Return the playable card of the highest rank (N, K), or `otherwise`."""
    plays = games.legal[:, PLAY : PLAY + len(games.rules.kinds)]
    best = np.where(plays, ranks, -1).argmax(axis=1) + PLAY
    return np.where(plays.any(axis=1), best, otherwise)


UNUSUAL: Final[dict[str, Wish]] = {
    "draws": draws,
    "often-draws": often_draws,
    "leaves": leaves,
    "leaves-soon": leaves_soon,
    "stays": stays,
    "highest": highest,
    "rich": rich,
}

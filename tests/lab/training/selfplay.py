"""Matches between house bots, as training data."""

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Int
from arena.value.strategies import STYLES, choose, deciding

# Share of seats by strategy: mostly good ones, but models should see all of them.
SHARES = {
    "random": 0.05,
    "timid": 0.15,
    "stubborn": 0.1,
    "five": 0.15,
    "careful": 0.25,
    "sharp": 0.3,
}


def seated(count: int, seats: int, rng: np.random.Generator) -> Int:
    """Return a random strategy for each seat of each game (count, seats)."""
    shares = [SHARES[name] for name in STYLES]
    return rng.choice(len(STYLES), (count, seats), p=shares).astype(np.int8)


def advance(games: Games, styles: Int, rng: np.random.Generator) -> None:
    """Play one decision of each game by the strategies of its seats (N, seats)."""
    games.step(choose(games, deciding(games, styles), rng))

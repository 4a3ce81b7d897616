"""Matches between the house's bots, for nets to learn from."""

from __future__ import annotations

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Int
from arena.value.strategies import STYLES, choose, deciding

# How often a seat has each strategy: mostly good ones, but nets should have met all of them.
SHARES = {
    "random": 0.05,
    "timid": 0.15,
    "stubborn": 0.1,
    "five": 0.15,
    "careful": 0.25,
    "sharp": 0.3,
}


def seated(count: int, seats: int, rng: np.random.Generator) -> Int:
    """The strategy in each seat of each game (count, seats)."""
    shares = [SHARES[name] for name in STYLES]
    return rng.choice(len(STYLES), (count, seats), p=shares).astype(np.int8)


def advance(games: Games, styles: Int, rng: np.random.Generator) -> None:
    """One decision of each game by the strategies in its seats (N, seats)."""
    games.step(choose(games, deciding(games, styles), rng))

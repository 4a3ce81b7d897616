"""Policies, which choose the actions of many games."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Int
from arena.value.strategies import STYLES, choose

# Takes games and returns a legal action for each (N,), or any number for a finished game. It uses
# only what the deciding seats may know.
Policy: TypeAlias = Callable[[Games, np.random.Generator], Int]


def house_policy(name: str) -> Policy:
    """Return the policy of a house bot in all games. Raises ValueError for other names."""
    style = STYLES.index(name)
    return lambda games, rng: choose(games, np.full(len(games), style, np.int8), rng)

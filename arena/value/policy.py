"""Policies: how the deciding seats of many games choose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Int
from arena.value.strategies import STYLES, choose

# Takes games and returns a legal action of each (N,), any number for a finished one. Only what the
# deciding seats may know is looked at.
Policy: TypeAlias = Callable[[Games, np.random.Generator], Int]


def house_policy(name: str) -> Policy:
    """How the house bot of this name plays any game. Raises ValueError for another name."""
    style = STYLES.index(name)
    return lambda games, rng: choose(games, np.full(len(games), style, np.int8), rng)

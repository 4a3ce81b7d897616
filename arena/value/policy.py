"""Policies: how the deciding seats of many games choose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from arena.batch import Games
from arena.batch.arrays import Int

# Takes games and returns a legal action of each (N,), any number for a finished one. Only what the
# deciding seats may know is looked at.
Policy: TypeAlias = Callable[[Games, np.random.Generator], Int]


def random_actions(games: Games, rng: np.random.Generator) -> Int:
    """All legal actions are equally likely."""
    return games.random_actions(rng)

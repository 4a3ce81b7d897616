"""How fast the rules engine is by itself: random offered actions, one process."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from arena.rules import GAMES, game_class


@dataclass(frozen=True)
class EngineSpeed:
    """What one game reached."""

    game: str
    seats: int
    decisions_per_s: float
    matches_per_s: float


def measure(game: str, seats: int = 4, seconds: float = 3.0, seed: int = 1) -> EngineSpeed:
    """Plays matches of uniformly random offered actions for about so many seconds."""
    kind, chance = game_class(game), random.Random(seed)
    draw = chance.random
    decisions = matches = 0
    began = time.perf_counter()
    while (elapsed := time.perf_counter() - began) < seconds:
        state = kind(seats, chance.randbytes(16))
        while not state.finished:
            offered = state.offered
            state.apply(offered[int(draw() * len(offered))])
            decisions += 1
        matches += 1
    return EngineSpeed(game, seats, decisions / elapsed, matches / elapsed)


def measure_all(seats: int = 4, seconds: float = 3.0) -> list[EngineSpeed]:
    """Every game in turn."""
    return [measure(game, seats, seconds) for game in GAMES]

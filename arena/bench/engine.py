"""Measures the rules engine alone: random legal actions in one process."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from arena.rules import GAMES, game_class


@dataclass(frozen=True)
class EngineSpeed:
    """The throughput of one game."""

    game: str
    seats: int
    decisions_per_s: float
    matches_per_s: float


def measure(game: str, seats: int = 4, seconds: float = 3.0, seed: int = 1) -> EngineSpeed:
    """Plays matches of uniformly random legal actions for about `seconds` seconds."""
    kind, rng = game_class(game), random.Random(seed)
    draw = rng.random
    decisions = matches = 0
    began = time.perf_counter()
    while (elapsed := time.perf_counter() - began) < seconds:
        state = kind(seats, rng.randbytes(16))
        while not state.finished:
            legal = state.legal_actions
            state.apply(legal[int(draw() * len(legal))])
            decisions += 1
        matches += 1
    return EngineSpeed(game, seats, decisions / elapsed, matches / elapsed)


def measure_all(seats: int = 4, seconds: float = 3.0) -> list[EngineSpeed]:
    """Measures each game in turn."""
    return [measure(game, seats, seconds) for game in GAMES]

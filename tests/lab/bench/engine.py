"""Measures the rules engine alone: random legal actions in one process.

python -m tests.lab.bench.engine GAME SEATS SECONDS      # prints decisions/s
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from arena.base import compiled
from arena.games.rules import GAMES, Game, game_class

TURNS = 3
CLONES_BETWEEN_LOOKS = 256  # clones between two readings of the clock
DECISIONS_BEFORE_CLONES = 6
STATES_AT_ONCE = 100  # sampled from one view


@dataclass(frozen=True)
class EngineSpeed:
    """The throughput of one game."""

    game: str
    seats: int
    decisions_per_s: float
    matches_per_s: float
    clones_per_s: float
    sampled_states_per_s: float
    pure_decisions_per_s: float | None = None  # interleaved with compiled
    ratio: float | None = None  # of compiled to pure; median over turns


def measure(game: str, seats: int = 4, seconds: float = 3.0, seed: int = 1) -> EngineSpeed:
    """Play matches of uniformly random legal actions for about `seconds` seconds."""
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
    return EngineSpeed(
        game,
        seats,
        decisions / elapsed,
        matches / elapsed,
        measure_clones(game, seats, seconds / 10),
        measure_sampled_states(game, seats, seconds / 10),
    )


def measure_clones(game: str, seats: int, seconds: float) -> float:
    """Return clones per second of a game in its first round."""
    clone, clones, began = _in_first_round(game, seats).clone, 0, time.perf_counter()
    while (elapsed := time.perf_counter() - began) < seconds:
        for _ in range(CLONES_BETWEEN_LOOKS):
            clone()
        clones += CLONES_BETWEEN_LOOKS
    return clones / elapsed


def measure_sampled_states(game: str, seats: int, seconds: float) -> float:
    """Return states per second sampled from a view of the first round, a hundred at once."""
    view, rng = _in_first_round(game, seats).view(), random.Random(1)
    sampled, began = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - began) < seconds:
        view.sample_states(STATES_AT_ONCE, rng)
        sampled += STATES_AT_ONCE
    return sampled / elapsed


def _in_first_round(game: str, seats: int) -> Game:
    state = game_class(game)(seats, bytes(16))
    for _ in range(DECISIONS_BEFORE_CLONES):
        state.apply(state.legal_actions[0])
    return state


def measure_all(seats: int = 4, seconds: float = 3.0) -> Iterator[EngineSpeed]:
    """Measure each game; compiled modules are interleaved with pure Python."""
    measure_one = beside_pure if compiled.in_use() else measure
    for game in GAMES:
        yield measure_one(game, seats, seconds)


def beside_pure(game: str, seats: int, seconds: float) -> EngineSpeed:
    """Measure a game compiled and, in another process, in pure Python."""
    turns = [
        (measure(game, seats, seconds / TURNS), _pure(game, seats, seconds / TURNS))
        for _ in range(TURNS)
    ]
    return EngineSpeed(
        game,
        seats,
        median(ours.decisions_per_s for ours, _ in turns),
        median(ours.matches_per_s for ours, _ in turns),
        median(ours.clones_per_s for ours, _ in turns),
        median(ours.sampled_states_per_s for ours, _ in turns),
        median(pure for _, pure in turns),
        median(ours.decisions_per_s / pure for ours, pure in turns),
    )


def _pure(game: str, seats: int, seconds: float) -> float:
    command = [sys.executable, "-m", "tests.lab.bench.engine", game, str(seats), str(seconds)]
    environment = os.environ | {"ARENA_PURE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


if __name__ == "__main__":
    print(measure(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])).decisions_per_s)  # noqa: T201

"""Measures many games stepped together, interleaved with single games."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

import numpy as np

from arena.games.batch import BATCHES, Games, batch_class
from tests.lab.bench import engine

TURNS = 3
SEED = bytes(16)
STEPS_BETWEEN_LOOKS = 16  # steps between two readings of the clock


@dataclass(frozen=True)
class BatchSpeed:
    """The throughput of a batch of one game, and of single games."""

    game: str
    seats: int
    games: int  # in the batch
    decisions_per_s: float
    matches_per_s: float
    single_decisions_per_s: float
    ratio: float  # median over turns


def measure_all(seats: int, seconds: float, games: int) -> Iterator[BatchSpeed]:
    """Measure every game."""
    for game in BATCHES:
        yield measure(game, seats, seconds, games)


def measure(game: str, seats: int, seconds: float, games: int) -> BatchSpeed:
    """Play random legal actions on one core, for about `seconds` seconds each way, interleaved.

    Drawing actions, dealing and starting new matches are included.
    """
    batch, rng = batch_class(game)(games, seats, SEED), np.random.Generator(np.random.SFC64(1))
    play(batch, rng, 0.0)
    turns = []
    for _ in range(TURNS):
        single = engine.measure(game, seats, seconds / TURNS)
        turns.append((*play(batch, rng, seconds / TURNS), single.decisions_per_s))
    decisions, matches, singles = (median(column) for column in zip(*turns, strict=True))
    ratio = median(many / one for many, _, one in turns)
    return BatchSpeed(game, seats, games, decisions, matches, singles, ratio)


def play(batch: Games, rng: np.random.Generator, seconds: float) -> tuple[float, float]:
    """Return decisions and matches per second."""
    before, steps, began = batch.begun, 0, time.perf_counter()
    while True:
        for _ in range(STEPS_BETWEEN_LOOKS):
            batch.step(batch.random_actions(rng))
            batch.restart()
        steps += STEPS_BETWEEN_LOOKS
        elapsed = time.perf_counter() - began
        if elapsed >= seconds:
            return steps * len(batch) / elapsed, (batch.begun - before) / elapsed

"""Trains U that is also told how each seat plays; see `luck.valuing`."""

from __future__ import annotations

from pathlib import Path

from arena.value.network import Network
from arena.value.outcome import STYLED
from arena.value.training.fit import Plan
from arena.value.training.outcome import train

MATCHES = 32_768  # that a net of the usual size is trained on
PLAN = Plan(passes=6, rows=2048, rate=4e-3)


def make(game: str, seats: int, size: float, seed: int, folder: Path) -> Network:
    """A net of the usual size times `size`; see `command.Maker`."""
    return train(game, seats, max(100, round(MATCHES * size)), seed, PLAN, STYLED)

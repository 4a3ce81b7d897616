"""How matches end from fixed states, by playing them: what `arena.value.outcome` is held against.

    python -m tests.lab.training.states [GAME ...]

plays the matches anew and writes tests/golden/outcome_states.npz, in half an hour of CPU.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import arena.base.blas_threads  # noqa: F401 - before NumPy's threads start
from arena.games.batch.arrays import Int8, Int16
from arena.games.rules import GAMES
from arena.value.network import Floats
from tests.lab.training.outcome import of_seats, states_to_check
from tests.lab.training.starts import Starts, simulated

FILE = Path(__file__).parents[2] / "golden" / "outcome_states.npz"
SEATS = range(2, 7)
MATCHES = 3000  # from each state
SEED = 20261127  # not one that a net is trained with


class States(NamedTuple):
    """States between two rounds, and how matches went on from there."""

    points: Int16  # (N, seats)
    starter: Int8  # (N,)
    score: Floats  # (N, seats): of each seat against the others, the mean of MATCHES

    @classmethod
    def read(cls, game: str, seats: int) -> States:
        """Those of a table."""
        with np.load(FILE) as arrays:
            return cls(*(arrays[f"{game}-{seats}-{name}"] for name in cls._fields))

    @classmethod
    def played(cls, game: str, seats: int) -> States:
        """The same, played anew."""
        starts = Starts(game, seats, np.random.default_rng([SEED, seats]))
        points, starter = states_to_check(starts)
        return cls(points, starter, of_seats(simulated(starts, points, starter, MATCHES)))


def write(games: Sequence[str]) -> None:
    """Plays the matches of these games; the others stay as they are."""
    arrays = dict(np.load(FILE)) if FILE.exists() else {}
    for game in games:
        for seats in SEATS:
            for name, values in States.played(game, seats)._asdict().items():
                arrays[f"{game}-{seats}-{name}"] = values
            np.savez_compressed(FILE, **arrays)


if __name__ == "__main__":
    write(sys.argv[1:] or list(GAMES))

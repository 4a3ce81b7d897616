"""Results of matches from fixed states, to check `arena.value.outcome`.

    python -m tests.lab.training.states [GAME ...]

plays the matches and writes tests/golden/outcome_states.npz. It takes half an hour of CPU.
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
SEED = 20261127  # no model is trained with it


class States(NamedTuple):
    """States between two rounds, with the results of matches from them."""

    points: Int16  # (N, seats)
    starter: Int8  # (N,)
    score: Floats  # (N, seats): of each seat against the others, the mean of MATCHES

    @classmethod
    def read(cls, game: str, seats: int) -> States:
        """Read the states of a table."""
        with np.load(FILE) as arrays:
            return cls(*(arrays[f"{game}-{seats}-{name}"] for name in cls._fields))

    @classmethod
    def played(cls, game: str, seats: int) -> States:
        """Play the states of a table."""
        starts = Starts(game, seats, np.random.default_rng([SEED, seats]))
        points, starter = states_to_check(starts)
        return cls(points, starter, of_seats(simulated(starts, points, starter, MATCHES)))


def write(games: Sequence[str]) -> None:
    """Play and write the states of these games; keep the others."""
    arrays = dict(np.load(FILE)) if FILE.exists() else {}
    for game in games:
        for seats in SEATS:
            for name, values in States.played(game, seats)._asdict().items():
                arrays[f"{game}-{seats}-{name}"] = values
            np.savez_compressed(FILE, **arrays)


if __name__ == "__main__":
    write(sys.argv[1:] or list(GAMES))

"""The value of the end of a round to every seat."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from arena.games.batch.arrays import Int, entries
from arena.value import outcome
from arena.value.catalog import NETS
from arena.value.network import Floats
from arena.value.search.rollouts import RoundEnds
from arena.value.turns import scores_of_points

SCALE = 10.0  # lead in points that gives a pair score of 0.73 without a model


class EndValues:
    """Pair scores at the end of a round, by `arena.value.outcome` or by points without a model."""

    def __init__(
        self, game: str, seats: int, options: Mapping[str, str], folder: Path = NETS
    ) -> None:
        """Raises UnknownGame and BadOption."""
        self.net = outcome.find(game, seats, options, folder)

    @property
    def error(self) -> float:
        """The root mean square error of a seat's score; 0 without a model."""
        return self.net.error if self.net else 0.0

    def pairs(self, ends: RoundEnds) -> Floats:
        """Return the expected score of each seat against each other (N, seats, seats)."""
        if self.net:
            made = self.net.scores(ends.points, np.maximum(ends.starter, 0))
        else:
            lead = ends.points[:, None, :].astype(np.float32) - ends.points[:, :, None]
            made = (1 / (1 + np.exp(-lead / SCALE))).astype(np.float32)
        made[ends.finished] = scores_of_points(ends.points[ends.finished])
        return made

    def of_seats(self, ends: RoundEnds, seats: Int) -> Floats:
        """Return the expected mean pair score (N,), in [0, 1], of these seats (N,)."""
        own = entries(self.pairs(ends), np.arange(len(seats)), seats)
        mean: Floats = (own.sum(axis=1) - np.float32(0.5)) / np.float32(own.shape[1] - 1)
        return mean

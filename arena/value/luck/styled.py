"""How matches end, from the points that are expected at the end of a round and how seats play.

Luck needs values without steps: points between two whole numbers have some as well. `outcome` has
the exact ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from arena.games.batch.arrays import Int
from arena.games.rules.game import GAME_ENDS_AT
from arena.value import catalog
from arena.value.network import Floats, Network
from arena.value.turns import order_from, scores_of_logits, scores_of_points, turned_back

STYLED = "styled"
FEATURES = 6  # for each seat


@dataclass(frozen=True)
class StyledNet:
    """Expected pair scores at the beginning of a round, before its cards are dealt."""

    network: Network
    seats: int

    def scores(self, points: Int, starter: Int, styles: Floats | None = None) -> Floats:
        """What each seat scores against each other once the match is over, on average.

        `points` (N, seats) are held when the round begins in which `starter` (N,) acts first; they
        need not be whole numbers. Where somebody has 40 points the match is over, and the scores
        are its result. (N, seats, seats): S[n, i, j] + S[n, j, i] = 1, one half for i = j.
        """
        made = self.smooth(points, starter, styles)
        over = points.max(axis=1) >= GAME_ENDS_AT
        made[over] = scores_of_points(points[over])
        return made

    def smooth(self, points: Int, starter: Int, styles: Floats | None = None) -> Floats:
        """The same without a step at 40 points: for points that are themselves expected ones."""
        logits = self.network(features(points, starter, styles))
        return turned_back(scores_of_logits(logits, self.seats), starter)

    @property
    def version(self) -> str:
        """The SHA-256 of the net."""
        return self.network.digest


def find(
    game: str,
    seats: int,
    options: Mapping[str, str] | None = None,
    folder: Path = catalog.NETS,
) -> StyledNet | None:
    """The net for matches of a game; None if there is none that knows these options."""
    network = catalog.find(STYLED, game, seats, options, folder)
    return StyledNet(network, seats) if network else None


def features(points: Int, starter: Int, styles: Floats | None = None) -> Floats:
    """The inputs of the net (N, FEATURES · seats): everybody's points, from the starter on.

    With `styles` (N, seats, S), as `luck.Beliefs` has them, also how everybody plays.
    """
    order = order_from(starter, points.shape[1])
    held = np.take_along_axis(points.astype(np.float32), order, axis=1)
    lead = held - held.min(axis=1, keepdims=True)
    columns: list[npt.NDArray[np.floating]] = [
        held / 20 - 1,
        np.clip(held - 9, 0, 1),  # whether a token of ten points can be returned
        np.clip(held, 0, 1),
        np.maximum(held - 25, 0) / 10,
        np.maximum(held - 35, 0) / 5,
        lead / 20,
    ]
    if styles is not None:
        columns += list(np.take_along_axis(styles, order[:, :, None], axis=1).transpose(2, 0, 1))
    return np.stack(columns, axis=2).reshape(len(held), -1).astype(np.float32, copy=False)

"""Expected results of matches, from the expected points at the end of a round and the styles.

Luck needs values that are smooth in the points, including fractions. `outcome` has the values for
whole points.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from arena.games.batch.arrays import Int
from arena.games.rules.rounds import GAME_ENDS_AT
from arena.value import catalog
from arena.value.network import Floats, Network
from arena.value.turns import (
    in_order,
    order_from,
    scores_of_logits,
    scores_of_points,
    turned_back,
)

STYLED = "styled"
FEATURES = 6  # for each seat


@dataclass(frozen=True)
class StyledNet:
    """Expected pair scores at the start of a round, before the deal."""

    network: Network
    seats: int

    def scores(self, points: Int, starter: Int, styles: Floats | None = None) -> Floats:
        """Return the expected final score of each seat against each other (N, seats, seats).

        `points` (N, seats) are those at the start of a round, in which `starter` (N,) acts first.
        They may be fractions. A player with 40 points ends the match; the scores are then its
        result. S[n, i, j] + S[n, j, i] = 1, with one half for i = j.
        """
        made = self.smooth(points, starter, styles)
        over = points.max(axis=1) >= GAME_ENDS_AT
        made[over] = scores_of_points(points[over])
        return made

    def smooth(self, points: Int, starter: Int, styles: Floats | None = None) -> Floats:
        """Return scores without a step at 40 points, for points that are expected values."""
        logits = self.network(features(points, starter, styles))
        return turned_back(scores_of_logits(logits, self.seats), starter)


def find(
    game: str,
    seats: int,
    options: Mapping[str, str] | None = None,
    folder: Path = catalog.NETS,
) -> StyledNet | None:
    """Return the model for matches of a game, or None if no model fits the options."""
    network = catalog.find(STYLED, game, seats, options, folder)
    return StyledNet(network, seats) if network else None


def features(points: Int, starter: Int, styles: Floats | None = None) -> Floats:
    """Return the inputs of the network (N, inputs): the points of all seats from the starter on.

    There are FEATURES for each seat, and its style if `styles` (N, seats, S) are given, as from
    `luck.Beliefs`.
    """
    order = order_from(starter, points.shape[1])
    held = in_order(points.astype(np.float32), order)
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
        columns += list(in_order(styles, order).transpose(2, 0, 1))
    return np.stack(columns, axis=2).reshape(len(held), -1).astype(np.float32, copy=False)

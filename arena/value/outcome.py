"""U(points by seat, starter): the expected result of a match, given the points between two rounds.

All seats play as `training.starts.PLAYER`, which also plays out rounds in reviews. For two seats
there is a table of all states, for three or more a network. The model cards state their errors.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena.games.batch.arrays import Int
from arena.games.rules.rounds import GAME_ENDS_AT
from arena.games.rules.tokens import TEN
from arena.value import catalog
from arena.value.network import BadNet, Floats, Network
from arena.value.turns import (
    in_order,
    order_from,
    scores_of_logits,
    scores_of_points,
    turned_back,
)

KIND = "outcome"
TABLE_SEATS = 2  # more have too many states for a table
STEPS = (1, 10, 20)  # points from which a token of 1, 10 or 20 can be returned
WHITES = 3  # numbers of white tokens with their own column
# Points from which a column rises to 1 at 40. Points matter more near the end.
KNOTS = (5, 10, 15, 20, 24, 27, 30, 32, 34, 35, 36, 37, 38)


@dataclass(frozen=True)
class Outcome(ABC):
    """Expected pair scores at the start of a round, before the deal."""

    network: Network
    seats: int

    def scores(self, points: Int, starter: Int) -> Floats:
        """Return the expected final score of each seat against each other (N, seats, seats).

        `points` (N, seats) are those at the start of a round, in which `starter` (N,) acts first.
        A player with 40 points ends the match; the scores are then its result.
        S[n, i, j] + S[n, j, i] = 1, with one half for i = j.
        """
        over = points.max(axis=1) >= GAME_ENDS_AT
        logits = self._logits(np.minimum(points, GAME_ENDS_AT - 1), starter)
        made = turned_back(scores_of_logits(logits, self.seats), starter)
        made[over] = scores_of_points(points[over])
        return made

    @abstractmethod
    def _logits(self, points: Int, starter: Int) -> Floats:
        """Return the logits of the scores of each pair of places from the starter on (N, P)."""

    @property
    def error(self) -> float:
        """The root mean square error of the mean score of a seat, from the model card."""
        return float(self.network.about["quality"]["rms error"])


class OutcomeTable(Outcome):
    """U at two seats. The only layer of its network is a table with a row for each state."""

    def _logits(self, points: Int, starter: Int) -> Floats:
        return self.network.layers[0][0].take(states(points, starter), axis=0)


class OutcomeNet(Outcome):
    """U at three seats and more."""

    def _logits(self, points: Int, starter: Int) -> Floats:
        return self.network(features(points, starter))


def find(
    game: str,
    seats: int,
    options: Mapping[str, str] | None = None,
    folder: Path = catalog.NETS,
) -> Outcome | None:
    """Return U for matches of a game, or None if no model fits the options. Raises BadNet for a
    model of another release, with other inputs."""
    network = catalog.find(KIND, game, seats, options, folder)
    if network is None:
        return None
    if network.inputs != inputs(seats):
        raise BadNet(f"The {KIND} model for {game} at {seats} seats is not of this release.")
    return of_network(network, seats)


def of_network(network: Network, seats: int) -> Outcome:
    """Return U from a network of this kind."""
    return OutcomeTable(network, seats) if seats == TABLE_SEATS else OutcomeNet(network, seats)


def inputs(seats: int) -> int:
    """Return the number of inputs of a network of this kind, or of states of a table."""
    if seats == TABLE_SEATS:
        return int(GAME_ENDS_AT**TABLE_SEATS)
    return len(features(np.zeros((1, seats), np.int16), np.zeros(1, np.int8))[0])


def states(points: Int, starter: Int) -> Int:
    """Return table rows (N,) for points (N, 2) below 40: 40 · the starter's + the other's."""
    held = in_order(points.astype(np.intp), order_from(starter, TABLE_SEATS))
    made: Int = held[:, 0] * GAME_ENDS_AT + held[:, 1]
    return made


def features(points: Int, starter: Int) -> Floats:
    """Return the inputs of a network (N, inputs): the points of all seats from the starter on."""
    order = order_from(starter, points.shape[1])
    held = in_order(points.astype(np.float32), order)
    lead = held - held.min(axis=1, keepdims=True)
    columns = [held / 20 - 1, lead / 20]
    columns += [(held >= step).astype(np.float32) for step in STEPS]
    # In Kadabra a player without a white token loses a black one.
    columns += [(held % TEN == whites).astype(np.float32) for whites in range(WHITES)]
    columns += [np.maximum(held - knot, 0) / np.float32(GAME_ENDS_AT - knot) for knot in KNOTS]
    return np.concatenate(columns, axis=1, dtype=np.float32)

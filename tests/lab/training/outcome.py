"""Trains U, the outcome of a match by the points between its rounds, by value iteration.

The value of a state is the mean over rounds that start there: of the result if the match ends, else
of the next state's value in the iteration before. Rounds start with random points, because few real
matches reach states in which all players are close to 40.
"""

import math
from itertools import pairwise, product
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.games.batch.arrays import Int, Int8, Int16
from arena.games.rules.rounds import GAME_ENDS_AT
from arena.games.rules.tokens import TEN
from arena.value.network import Floats, Network
from arena.value.outcome import KIND, TABLE_SEATS, Outcome, features, of_network, states
from arena.value.turns import order_from, pairs, scores_of_points
from tests.lab.training.fit import Entropy, Plan, fit, new_layers
from tests.lab.training.starts import PLAYER, Rounds, Starts, rounds, simulated

Doubles: TypeAlias = npt.NDArray[np.float64]

HIDDEN = (64, 32)
ROUNDS = 500_000  # for a model of the usual size
TABLE_ROUNDS = 1_600_000
SWEEPS = 60  # over a table: few matches are as long
SWEEP = Plan(passes=1, rows=512, rate=4e-3)
SWEEPS_OF_NET = 4  # each extends the horizon by a round
LAST = Plan(passes=3, rows=1024, rate=2e-3)
CUTS = [point for point in range(GAME_ENDS_AT + 1) if point % TEN in (0, 1)]
SCALE = 10.0  # lead in points for an initial score of .73

CHECKED: Final = 100  # states in which U is compared with full matches
LATE: Final = 30  # least points of all players in half of these states
MATCHES: Final = 2000  # from each of them
PARTS: Final = 8  # of these, to estimate the error of their mean


def make(game: str, seats: int, size: float, seed: int, folder: Path) -> Network:
    """Train a table or model of the usual size times `size`; see `command.Maker`."""
    usual = TABLE_ROUNDS if seats == TABLE_SEATS else ROUNDS
    return train(game, seats, max(1000, round(usual * size)), seed)


def train(game: str, seats: int, count: int, seed: int, matches: int = MATCHES) -> Network:
    """Train U on this many rounds; `about` describes the data and the errors.

    The errors come from `matches` held-out matches from each of CHECKED states.
    """
    starts = Starts(game, seats, np.random.default_rng([seed, seats]))
    others = Starts(game, seats, np.random.default_rng([seed, seats, 1]))
    table = seats == TABLE_SEATS
    played = rounds(starts, count, uniform=table)
    layer = _swept(played) if table else _fitted(played, starts.rng)
    about = {
        "kind": KIND,
        "game": game,
        "seats": seats,
        "trained on": f"{len(played.points)} rounds that {PLAYER} played, from random points",
        "quality": checked(of_network(Network.rounded(layer, {}), seats), others, matches),
    }
    return Network.rounded(layer, about)


def checked(made: Outcome, starts: Starts, matches: int) -> dict[str, float]:
    """Return the error of U in CHECKED states, in score of a seat against the others (0 to 1)."""
    points, starter = states_to_check(starts)
    repeated = np.tile(points, (PARTS, 1)), np.tile(starter, PARTS)
    parts = of_seats(simulated(starts, *repeated, matches // PARTS)).reshape(PARTS, *points.shape)
    off = of_seats(made.scores(points, starter)) - parts.mean(axis=0)
    noise = parts.var(axis=0, ddof=1).mean() / PARTS  # error of the simulation itself
    return {
        "rms error": round(math.sqrt(max(0.0, float((off**2).mean() - noise))), 4),
        "largest error": round(float(np.abs(off).max()), 4),
    }


def states_to_check(starts: Starts) -> tuple[Int16, Int8]:
    """Return points (CHECKED, seats) and starters, half of them from late in a match."""
    points = starts.points(CHECKED)
    late = starts.rng.integers(LATE, GAME_ENDS_AT, size=(CHECKED // 2, starts.seats))
    points[: CHECKED // 2] = late
    return points, starts.starters(CHECKED)


def of_seats(scores: Floats) -> Floats:
    """Return the mean score of each seat against the others (N, seats), from pair scores."""
    mean: Floats = (scores.sum(axis=2) - np.float32(0.5)) / np.float32(scores.shape[1] - 1)
    return mean


# Value iteration


def _swept(played: Rounds) -> list[tuple[Floats, Floats]]:
    """Return the table as the layer of a network."""
    size = GAME_ENDS_AT**TABLE_SEATS
    own = states(played.points, played.starter)
    going = ~played.finished
    follows = states(played.after[going], played.next_starter[going])
    rows, order = np.arange(len(own)), order_from(played.starter, TABLE_SEATS)
    results = scores_of_points(played.after)[rows, order[:, 0], order[:, 1]].astype(np.float64)
    changes = (played.next_starter != played.starter)[going]
    counts = np.maximum(1, np.bincount(own, minlength=size))
    values = np.full(size, 0.5)
    for _ in range(SWEEPS):
        next_values = values[follows]
        results[going] = np.where(changes, 1 - next_values, next_values)
        values = np.bincount(own, results, size) / counts
    values = np.clip(values, 1e-4, 1 - 1e-4)
    logits = smoothed(np.log(values / (1 - values)).reshape(GAME_ENDS_AT, GAME_ENDS_AT))
    return [(logits.reshape(-1, 1).astype(np.float32), np.zeros(1, np.float32))]


def smoothed(table: Doubles) -> Doubles:
    """Return a table (40, 40) with each state averaged with its neighbours, which removes most of
    the noise. It does not average over multiples of ten, where values jump: from there a token of
    ten can be returned, and in Kadabra a player without a white token loses a black one."""
    made = table.copy()
    for rows, columns in product(pairwise(CUTS), repeat=2):
        block = table[slice(*rows), slice(*columns)]
        for axis in range(2):
            block = _smoothed_along(block, axis)
        made[slice(*rows), slice(*columns)] = block
    return made


def _smoothed_along(block: Doubles, axis: int) -> Doubles:
    if block.shape[axis] == 1:
        return block
    # A line stays a line up to its ends.
    wider = [(1, 1) if each == axis else (0, 0) for each in range(2)]
    around = np.pad(block, wider, "reflect", reflect_type="odd")
    before, own, after = (
        np.take(around, range(first, first + block.shape[axis]), axis) for first in range(3)
    )
    made: Doubles = (before + 2 * own + after) / 4
    return made


def _fitted(played: Rounds, rng: np.random.Generator) -> list[tuple[Floats, Floats]]:
    """Return the layers of a network."""
    inputs = features(played.points, played.starter)
    seats = played.points.shape[1]
    layers = new_layers((inputs.shape[1], *HIDDEN, len(pairs(seats)[0])), rng)
    lead = played.after[:, None, :] - played.after[:, :, None].astype(np.float32)
    following = _targets(played, (1 / (1 + np.exp(-lead / SCALE))).astype(np.float32))
    for plan in (SWEEP,) * SWEEPS_OF_NET + (LAST,):
        fit(layers, lambda numbers: inputs[numbers], len(inputs), Entropy(following), plan, rng)
        made = of_network(Network(tuple(layers)), seats)
        following = _targets(played, made.scores(played.after, np.maximum(played.next_starter, 0)))
    return layers


def _targets(played: Rounds, values: Floats) -> Floats:
    """Return the scores of pairs of places (N, P) after these rounds, from values (N, seats, seats)
    of the states after them."""
    scores = np.where(
        played.finished[:, None, None], scores_of_points(played.after), values
    ).astype(np.float32)
    order = order_from(played.starter, played.points.shape[1])
    left, right = pairs(played.points.shape[1])
    rows: Int = np.arange(len(order))[:, None]
    made: Floats = scores[rows, order[:, left], order[:, right]]
    return made

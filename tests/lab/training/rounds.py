"""Trains the rounds model, which predicts the rest of a round; see `luck.valuing`."""

from pathlib import Path

import numpy as np

from arena.base.errors import InvalidRequest
from arena.games.batch.arrays import Bool, Index
from arena.value.luck import styled
from arena.value.luck.styled import StyledNet
from arena.value.luck.valuing import ROUNDS, STATS, prospects
from arena.value.network import Floats, Network
from tests.lab.training.fit import Plan, fit, new_layers
from tests.lab.training.siblings import MEMBERS, ROLLOUTS, gather

HIDDEN = (192, 96)
GROUPS = 200_000  # for a model of the usual size
APART = 2000  # groups to measure the quality
PLAN = Plan(passes=12, rows=256, rate=4e-3)
SIBLINGS = 4  # weight of differences within a group
WEIGHTS = (1.0, 0.3, 1.0, 0.5)  # of the outputs of a seat


def make(game: str, seats: int, size: float, seed: int, folder: Path) -> Network:
    """Train a model of the usual size times `size`; see `command.Maker`."""
    ends, rng = outcome_in(folder, game, seats), np.random.default_rng([seed, seats, 2])
    groups = gather(game, seats, max(200, round(GROUPS * size)), ends, rng)
    apart = gather(game, seats, APART, ends, rng)
    states, loss = groups.states, Squares(groups.stats, groups.open)
    inputs = states.select(np.arange(1)).inputs().shape[1]
    layers, count = new_layers((inputs, *HIDDEN, STATS), rng), len(groups.seat)
    fit(layers, lambda n: states.select(n).inputs(), count // MEMBERS, loss, PLAN, rng, MEMBERS)
    network = Network.rounded(layers, {})
    about = {
        "kind": ROUNDS,
        "game": game,
        "seats": seats,
        "trained on": f"{count} states in groups of {MEMBERS}, each the mean of {ROLLOUTS} "
        "rounds played on by the house's bots",
        "quality": explained(prospects(network, apart.states), apart.stats),
    }
    return Network.rounded(layers, about)


def outcome_in(folder: Path, game: str, seats: int) -> StyledNet:
    """Return the styled model in a folder. Raises InvalidRequest if it is missing."""
    ends = styled.find(game, seats, folder=folder)
    if ends is None:
        words = f"python -m tests.lab train styled --game {game} --seats {seats}"
        raise InvalidRequest(f"There is no styled model for {game} at {seats} seats. Run: {words}")
    return ends


def explained(made: Floats, wanted: Floats) -> dict[str, float]:
    """Return the explained share of the variance of points, overall and within groups.

    The rest includes the chance in the few rounds that it is measured on.
    """
    points, told = wanted[:, ::STATS], made[:, ::STATS]
    return {
        "R² of points": _share(told, points),
        "within groups": _share(_within(told), _within(points)),
    }


def _within(values: Floats) -> Floats:
    groups = values.reshape(-1, MEMBERS, values.shape[1])
    apart: Floats = (groups - groups.mean(axis=1, keepdims=True)).reshape(values.shape)
    return apart


def _share(made: Floats, wanted: Floats) -> float:
    rest = ((wanted - made) ** 2).sum() / ((wanted - wanted.mean(axis=0)) ** 2).sum()
    return round(float(1 - rest), 4)


class Squares:
    """Squared errors, with more weight on differences within a group."""

    def __init__(self, targets: Floats, open_: Bool) -> None:
        self._targets, self._open = targets, open_[:, None].astype(np.float32)
        self._weights = np.tile(np.array(WEIGHTS, np.float32), targets.shape[1] // STATS)

    def __call__(self, made: Floats, rows: Index) -> tuple[float, Floats]:
        """See `fit.Loss`."""
        error = (made.reshape(len(rows), -1) - self._targets[rows]) * self._open[rows]
        value, gradient = squares(error, self._weights)
        return value, (gradient * self._open[rows]).reshape(made.shape)


def squares(error: Floats, weights: Floats) -> tuple[float, Floats]:
    """Return the loss of errors (N, outputs) of whole groups, and its gradient."""
    groups = error.reshape(-1, MEMBERS, error.shape[1])
    apart = (groups - groups.mean(axis=1, keepdims=True)).reshape(error.shape)
    value = float(((error**2 + SIBLINGS * apart**2) * weights).mean())
    gradient: Floats = 2 * (error + SIBLINGS * apart) * weights / np.float32(error.size)
    return value, gradient

"""Trains the luck model, which turns the prospects of a round into those of the match, and fits the
factors of luck by kind of event; see `luck.valuing`."""

from pathlib import Path

import numpy as np

from arena.base.errors import InvalidRequest
from arena.games.batch.arrays import Bool, Index
from arena.value import catalog
from arena.value.luck.valuing import (
    LUCK,
    ROUNDS,
    LuckNet,
    base_logits,
    prospects,
    second_inputs,
)
from arena.value.network import Floats, Network
from arena.value.turns import order_from
from tests.lab.training.fit import Plan, fit, new_layers
from tests.lab.training.measure import (
    factor,
    factor_interval,
    fitted_shrinkage,
    house_matches,
)
from tests.lab.training.rounds import outcome_in, squares
from tests.lab.training.siblings import MEMBERS, ROLLOUTS, Groups, gather

HIDDEN = (96, 48)
GROUPS = 80_000  # for a model of the usual size
MATCHES = 8192  # half to fit the shrinkage, half to measure the factor
ALIKE = np.ones(1, np.float32)  # weights of outputs
PLAN = Plan(passes=6, rows=512, rate=2e-3)


def make(game: str, seats: int, size: float, seed: int, folder: Path) -> Network:
    """Train a model of the usual size times `size`; see `command.Maker`."""
    ends, rng = outcome_in(folder, game, seats), np.random.default_rng([seed, seats, 3])
    rounds = catalog.find(ROUNDS, game, seats, folder=folder)
    if rounds is None:
        words = f"python -m tests.lab train rounds --game {game} --seats {seats}"
        raise InvalidRequest(f"There is no rounds model for {game} at {seats} seats. Run: {words}")
    groups = gather(game, seats, max(200, round(GROUPS * size)), ends, rng)
    unfitted = LuckNet(rounds, Network((), {}), ends)
    inputs, base = between(unfitted, groups)
    layers = new_layers((inputs.shape[1], *HIDDEN, base.shape[1]), rng)
    loss = Scores(groups.scores, groups.open, base)
    fit(layers, lambda n: inputs[n], len(inputs) // MEMBERS, loss, PLAN, rng, MEMBERS)
    net = LuckNet(rounds, Network.rounded(layers, {}), ends)
    matches = max(128, round(MATCHES * min(size * 2, 1)))
    played = house_matches(net, game, seats, matches, rng)
    fitted, tried = (played.every_second(part) for part in (0, 1))
    beta = fitted_shrinkage(fitted)
    about = {
        "kind": LUCK,
        "game": game,
        "seats": seats,
        "trained on": f"{len(inputs)} states in groups of {MEMBERS}, each the mean of {ROLLOUTS} "
        f"rounds played on by the house's bots; shrinkage fitted to {matches // 2} matches",
        "beta": beta,
    }
    shrinkage = LuckNet(rounds, Network.rounded(layers, about), ends).shrinkage
    low, high = factor_interval(tried, shrinkage, rng)
    about["quality"] = {
        "factor of matches saved": round(factor(tried, shrinkage), 3),
        "from": round(low, 3),
        "to": round(high, 3),
    }
    return Network.rounded(layers, about)


def between(net: LuckNet, groups: Groups) -> tuple[Floats, Floats]:
    """Return the inputs of the second network (N, …), and the logits that it corrects (N, P)."""
    order = order_from(groups.seat, net.seats)
    stats = prospects(net.rounds, groups.states)
    styles = groups.states.styles
    base = base_logits(net.outcome, groups.points, stats, order, styles)
    return second_inputs(groups.points, stats, base, order, styles), base


class Scores:
    """Squared errors of pair scores, with more weight on differences within a group."""

    def __init__(self, targets: Floats, open_: Bool, base: Floats) -> None:
        self._targets, self._open, self._base = targets, open_[:, None].astype(np.float32), base

    def __call__(self, made: Floats, rows: Index) -> tuple[float, Floats]:
        """See `fit.Loss`."""
        scores = 1 / (1 + np.exp(-np.clip(made + self._base[rows], -30, 30)))
        error = (scores - self._targets[rows]) * self._open[rows]
        value, gradient = squares(error, ALIKE)
        return value, gradient * scores * (1 - scores) * self._open[rows]

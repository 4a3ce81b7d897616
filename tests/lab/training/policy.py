"""Trains policies: policy iteration with rollouts.

A learner plays at tables of 2 to 6 seats against itself and house bots, at first as `sharp`, later
by its network. At each of its decisions, every legal action is tried in a copy of the game with the
same cards and dice to come. The players of the table finish the round, and the outcome model values
its end. The network learns how much better each action is than the others.

The copies keep the hidden cards. So the values reflect what moves reveal about cards, as in
matches. The network itself sees only the view of its seat.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.value.network import Layer, Network
from arena.value.policy_net import KIND, PolicyNet
from arena.value.strategies import house_policy
from tests.lab.strength import compare
from tests.lab.training.fit import Plan, fit, new_layers
from tests.lab.training.policy_losses import Advantage, Expected
from tests.lab.training.tables import RIVAL, Judged, Table, joined

SEATS = range(FEWEST_SEATS, MOST_SEATS + 1)
HIDDEN = (160, 96)
GAMES, STEPS = 1024, 5  # at each number of seats; decisions of each before the weights change
ITERATIONS = 60
BY_HOUSE = 0.4  # share of iterations, at the start, in which `sharp` plays for the learner
RECENT = 0.6  # newest share of the judged decisions to learn from
WARM_UP = 40  # decisions of each match before the first judged one
# Plans of the fit: first, after each iteration, last, and for the final choices.
FIRST, NEXT = Plan(passes=4, rows=1024, rate=2e-3), Plan(passes=1, rows=1024, rate=1e-3)
LAST, CHOICE = Plan(passes=4, rows=1024, rate=1.5e-3), Plan(passes=3, rows=1024, rate=5e-4)
DEALS = 600  # to compare the policy with `sharp`, for its card


def make(game: str, seats: int, size: float, seed: int, folder: Path) -> Network:
    """Train a model for all numbers of seats; see `command.Maker`. `size` scales iterations."""
    iterations = max(1, round(ITERATIONS * size))
    layers = train(game, iterations, seed, max(64, min(GAMES, round(GAMES * size * 4))), folder)
    network = Network.rounded(layers, {})
    about = {
        "kind": KIND,
        "game": game,
        "seats": "2 to 6",
        "trained on": f"{iterations} iterations of policy improvement, in self-play and with the"
        " house's bots",
        "quality": measured(game, network, seed, max(20, min(DEALS, round(DEALS * size)))),
    }
    return Network.rounded(layers, about)


def measured(game: str, network: Network, seed: int, deals: int) -> dict[str, float]:
    """Return the Elo lead over `sharp` by number of seats, and half of its 95% interval."""
    told = {}
    for seats in (2, 4, 6):
        found = compare(game, seats, PolicyNet(network), house_policy(RIVAL), deals, seed + 1)
        told[f"Elo at {seats}"] = round(found.elo, 1)
        told[f"± at {seats}"] = round(found.elo_error, 1)
    return told


def train(game: str, iterations: int, seed: int, count: int, folder: Path) -> list[Layer]:
    """Return trained layers; `count` matches at each number of seats are played at once."""
    rng = np.random.default_rng([seed, sum(game.encode())])
    tables = [Table(game, seats, count, rng, folder) for seats in SEATS]
    for table in tables:
        for _ in range(WARM_UP):
            table.advance(table.house())
    by_house = max(1, round(iterations * BY_HOUSE))
    judged = [table.step(()) for table in tables for _ in range(STEPS * by_house)]
    layers = new_layers((judged[0].seen.shape[1], *HIDDEN, judged[0].legal.shape[1]), rng)
    learn(layers, judged, FIRST, rng)
    for _ in range(iterations - by_house):
        judged += [table.step(layers) for table in tables for _ in range(STEPS)]
        learn(layers, judged, NEXT, rng)
    learn(layers, judged, LAST, rng)
    known = joined(recent(judged))
    fit(layers, known.rows, len(known.seen), Expected(known), CHOICE, rng)
    return layers


def learn(
    layers: list[Layer], judged: Sequence[Judged], plan: Plan, rng: np.random.Generator
) -> None:
    """Fit layers to the values of actions."""
    known = joined(recent(judged))
    fit(layers, known.rows, len(known.seen), Advantage(known), plan, rng)


def recent(judged: Sequence[Judged]) -> Sequence[Judged]:
    """Return the newest decisions; older values come from rounds of weaker players."""
    return judged[round(len(judged) * (1 - RECENT)) :]

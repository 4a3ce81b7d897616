"""House bots, for many games at once."""

import numpy as np

from arena.base.errors import NotFound
from arena.games.batch import Games
from arena.games.batch.arrays import Int
from arena.value.policy_net import PolicyNet, find
from arena.value.search.halving import Search
from arena.value.search.inference import Inference
from arena.value.search.rollouts import EndValues
from arena.value.strategies import STYLES, Policy, house_policy


def player(name: str, game: str, seats: int, rounds: int) -> Policy:
    """Return the policy of a house bot. `master` plays `rounds` on for a decision. Raises NotFound
    without a policy model, ValueError for other names."""
    if name in STYLES:
        return house_policy(name)
    net = net_of(game, seats)
    if name == "student":
        return net
    if name == "master":
        ends = EndValues(game, seats, {})
        return searching(Search(net.logits, net, ends, rounds, inference=Inference(net)))
    raise ValueError(f"unknown player: {name}")


def searching(search: Search) -> Policy:
    """Return the policy of a search, in states drawn from the knowledge of the deciding seats."""

    def choose(games: Games, rng: np.random.Generator) -> Int:
        known = games.copy()
        known.seed, known.begun = rng.bytes(16), 0
        known.determinize()
        return search.best(known, rng)

    return choose


def net_of(game: str, seats: int) -> PolicyNet:
    """Return the policy model of a game. Raises NotFound."""
    net = find(game, seats)
    if net is None:
        raise NotFound(
            f"There is no policy model for {game}. Train one in a clone of the project: "
            f"python -m tests.lab train policy --game {game}"
        )
    return net

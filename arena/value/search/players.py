"""Bots that search, for many games at once, to measure them in bulk."""

from __future__ import annotations

import numpy as np

from arena.base.errors import NotFound
from arena.games.batch import Games
from arena.games.batch.arrays import Int
from arena.games.batch.shedding import SheddingGames
from arena.value.network import Floats
from arena.value.policy import Policy, house_policy
from arena.value.policy_net import PolicyNet, find
from arena.value.search.ends import EndValues
from arena.value.search.halving import Search
from arena.value.search.inference import Hands, Inference
from arena.value.search.rollouts import RoundEnds
from arena.value.strategies import STYLES

SEARCHING = ("master", "naive", "clairvoyant")  # play rounds on
NEWCOMERS_ROUNDS = 240  # the playouts of docs/examples/search_bot.py


def player(name: str, game: str, seats: int, rounds: int) -> Policy:
    """Return the policy of a bot.

    Valid names are the house bots, `naive` (`master` without inference), `clairvoyant` (sees all
    hands) and `newcomer` (docs/examples/search_bot.py). The bots in SEARCHING play `rounds` on for
    a decision. Raises NotFound without a policy model, ValueError for other names.
    """
    if name in STYLES:
        return house_policy(name)
    if name == "newcomer":
        return searching(newcomer())
    net = net_of(game, seats)
    if name == "student":
        return net
    if name == "clairvoyant":
        return clairvoyant(net, EndValues(game, seats, {}), rounds)
    if name in SEARCHING:
        inference = Inference(net) if name == "master" else None
        ends = EndValues(game, seats, {})
        return searching(Search(net.logits, net, ends, rounds, inference=inference))
    raise ValueError(f"unknown player: {name}")


def searching(search: Search) -> Policy:
    """Return the policy of a search, in states drawn from the knowledge of the deciding seats."""

    def choose(games: Games, rng: np.random.Generator) -> Int:
        known = games.copy()
        known.seed, known.begun = rng.bytes(16), 0
        known.determinize()
        return search.best(known, rng)

    return choose


def clairvoyant(net: PolicyNet, ends: EndValues, rounds: int) -> Policy:
    """Return a policy that sees all hands, but not the pile, and plays rounds on like `sharp`.

    Against `sharp` only chance is unknown to it, so it is close to an upper bound for search.
    """
    search = Search(net.logits, house_policy("sharp"), ends, rounds, inference=Clairvoyance())

    def choose(games: Games, rng: np.random.Generator) -> Int:
        seen = games.copy()
        seen.seed, seen.begun = rng.bytes(16), 0
        return search.best(seen, rng)

    return choose


class Clairvoyance:
    """Knowledge of the actual hands; see `inference.Knowledge`."""

    def hands(
        self, games: Games, rng: np.random.Generator, until: float = float("inf")
    ) -> Hands | None:
        """Return the actual hands, or None in LAMA Dice, where nothing is hidden."""
        if not isinstance(games, SheddingGames):
            return None
        return Hands(games.hands[:, None].copy(), np.ones((len(games), 1)))


def newcomer() -> Search:
    """Return a search that tries all actions, plays on like `sharp` and counts the lead."""
    return Search(even, house_policy("sharp"), Lead(), NEWCOMERS_ROUNDS)


def even(games: Games) -> Floats:
    """Return equal logits for all legal actions."""
    return np.where(games.legal, 0, -np.inf).astype(np.float32)


class Lead:
    """Values ends by the lead in points; see `SeatValues`."""

    def of_seats(self, ends: RoundEnds, seats: Int) -> Floats:
        """Return the others' mean points less the seat's own, / 200, plus 0.5."""
        own = ends.points[np.arange(len(seats)), seats].astype(np.float32)
        others = (ends.points.sum(axis=1) - own) / np.float32(ends.points.shape[1] - 1)
        ahead: Floats = np.float32(0.5) + (others - own) / np.float32(200)
        return ahead


def net_of(game: str, seats: int) -> PolicyNet:
    """Return the policy model of a game. Raises NotFound."""
    net = find(game, seats)
    if net is None:
        raise NotFound(
            f"There is no policy model for {game}. Train one in a clone of the project: "
            f"python -m tests.lab train policy --game {game}"
        )
    return net

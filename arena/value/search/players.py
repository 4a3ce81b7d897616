"""What searching bots choose, in many games at once: to measure them in bulk."""

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

SEARCHING = ("master", "naive", "clairvoyant")  # who play rounds on
NEWCOMERS_ROUNDS = 240  # as docs/examples/search_bot.py has them


def player(name: str, game: str, seats: int, rounds: int) -> Policy:
    """How a bot of this name plays: a house bot, `student`, `master`, `naive`, which is `master`
    without inference, `clairvoyant`, which is no fair player, or `newcomer`, which is what
    docs/examples/search_bot.py does. `rounds` are played on for a decision of SEARCHING.

    Raises NotFound without a policy net, ValueError for another name.
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
    raise ValueError(f"nobody is called {name}")


def searching(search: Search) -> Policy:
    """A search, in states drawn from what the deciding seats of games know."""

    def choose(games: Games, rng: np.random.Generator) -> Int:
        known = games.copy()
        known.seed, known.begun = rng.bytes(16), 0
        known.determinize()
        return search.best(known, rng)

    return choose


def clairvoyant(net: PolicyNet, ends: EndValues, rounds: int) -> Policy:
    """Sees all hands, though not the pile, and plays rounds on as `sharp` plays.

    Against `sharp` it knows all but what chance will bring: what it wins is about the most that is
    to be had there by looking ahead.
    """
    search = Search(net.logits, house_policy("sharp"), ends, rounds, inference=Clairvoyance())

    def choose(games: Games, rng: np.random.Generator) -> Int:
        seen = games.copy()
        seen.seed, seen.begun = rng.bytes(16), 0
        return search.best(seen, rng)

    return choose


class Clairvoyance:
    """The hands that seats really hold; see `inference.Knowledge`."""

    def hands(
        self, games: Games, rng: np.random.Generator, until: float = float("inf")
    ) -> Hands | None:
        """The one possibility for each game; None in LAMA Dice, where nothing is hidden."""
        if not isinstance(games, SheddingGames):
            return None
        return Hands(games.hands[:, None].copy(), np.ones((len(games), 1)))


def newcomer() -> Search:
    """All actions are tried, `sharp` plays the rounds on, and points beside the others' count."""
    return Search(even, house_policy("sharp"), Lead(), NEWCOMERS_ROUNDS)


def even(games: Games) -> Floats:
    """At a glance all legal actions seem equally good."""
    return np.where(games.legal, 0, -np.inf).astype(np.float32)


class Lead:
    """Counts points alone; see `SeatValues`."""

    def of_seats(self, ends: RoundEnds, seats: Int) -> Floats:
        """The others' points on average, less one's own, in hundreds; .5 is even."""
        own = ends.points[np.arange(len(seats)), seats].astype(np.float32)
        others = (ends.points.sum(axis=1) - own) / np.float32(ends.points.shape[1] - 1)
        ahead: Floats = np.float32(0.5) + (others - own) / np.float32(200)
        return ahead


def net_of(game: str, seats: int) -> PolicyNet:
    """The policy net for so many seats. Raises NotFound."""
    net = find(game, seats)
    if net is None:
        raise NotFound(
            f"There is no policy net for {game}. Train one in a clone of the project: "
            f"python -m tests.lab train policy --game {game}"
        )
    return net

"""Bots that search, for many games at once, to measure them in bulk."""

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Int
from arena.games.batch.shedding import SheddingGames
from arena.value.network import Floats
from arena.value.policy_net import PolicyNet
from arena.value.search import players
from arena.value.search.halving import Search
from arena.value.search.inference import Hands
from arena.value.search.players import net_of, searching
from arena.value.search.rollouts import EndValues, RoundEnds
from arena.value.strategies import Policy, house_policy

SEARCHING = ("master", "naive", "clairvoyant")  # play rounds on
NEWCOMERS_ROUNDS = 240  # the playouts of docs/examples/search_bot.py


def player(name: str, game: str, seats: int, rounds: int) -> Policy:
    """Return the policy of a bot.

    Valid names are the house bots, `naive` (`master` without inference), `clairvoyant` (sees all
    hands) and `newcomer` (docs/examples/search_bot.py). The bots in SEARCHING play `rounds` on for
    a decision. Raises NotFound without a policy model, ValueError for other names.
    """
    if name == "newcomer":
        return searching(newcomer())
    if name not in SEARCHING or name == "master":
        return players.player(name, game, seats, rounds)
    net, ends = net_of(game, seats), EndValues(game, seats, {})
    if name == "naive":
        return searching(Search(net.logits, net, ends, rounds))
    return clairvoyant(net, ends, rounds)


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

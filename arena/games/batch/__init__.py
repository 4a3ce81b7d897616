"""Batch simulation: the rules of `arena.games.rules` on NumPy arrays, thousands of games at once.

games = batch_class("lama")(count=4096, seats=4, seed=bytes(16))
rng = np.random.default_rng(1)
while not games.finished.all():
    games.step(games.random_actions(rng))
"""

from arena.games.batch.arrays import Int16
from arena.games.batch.dice import DiceGames
from arena.games.batch.games import Games
from arena.games.batch.kadabra import KadabraGames
from arena.games.batch.lama import LamaGames
from arena.games.batch.party import PartyGames
from arena.games.decisions import Decisions
from arena.games.rules import game_class
from arena.games.rules.errors import UnknownGame

BATCHES: dict[str, type[Games]] = {
    batch.rules.name: batch for batch in (LamaGames, PartyGames, DiceGames, KadabraGames)
}


def batch_class(name: str) -> type[Games]:
    """Returns the batch class of a game. Raises UnknownGame."""
    if name not in BATCHES:
        title = game_class(name).title
        raise UnknownGame(f"{title} has no batch class. Games with one: {', '.join(BATCHES)}.")
    return BATCHES[name]


def observe(decisions: Decisions) -> Int16:
    """Returns observations (N, C) as from `Games.observe`, so that a model trained on these games
    can play in an arena, in a bot's `choose_batch`."""
    return batch_class(decisions.game).seen(decisions).observe()


__all__ = ["BATCHES", "Games", "batch_class", "observe"]

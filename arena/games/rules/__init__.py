"""The rules of the games: one class for each, and their registry.

    game = game_class("lama")(seats=4, seed=bytes(16))
    while not game.finished:
        game.apply(game.legal_actions[0])

To add a game, write one file and add it to GAMES. If a change alters the meaning of recorded
moves, move the old class to EARLIER and give the new one the next ruleset number.
"""

from arena.games.rules.dice import Dice
from arena.games.rules.errors import UnknownGame
from arena.games.rules.game import Game
from arena.games.rules.kadabra import Kadabra
from arena.games.rules.lama import Lama
from arena.games.rules.party import Party
from arena.games.rules.rounds import RoundLog
from arena.games.rules.view import View

GAMES: dict[str, type[Game]] = {game.name: game for game in (Lama, Party, Dice, Kadabra)}


# Retired rulesets, kept to replay old records.
EARLIER: list[type[Game]] = []


def game_class(name: str, ruleset: str = "") -> type[Game]:
    """Returns the class of a game, by default of its newest ruleset. Raises UnknownGame."""
    game = GAMES.get(name)
    if game is None:
        raise UnknownGame(f"There is no game {name[:40]!r}. The games are: {', '.join(GAMES)}.")
    if ruleset in ("", game.ruleset):
        return game
    for earlier in EARLIER:
        if earlier.ruleset == ruleset and earlier.name == name:
            return earlier
    raise UnknownGame(f"{game.title} has no ruleset {ruleset!r}. The newest is {game.ruleset!r}.")


__all__ = ["EARLIER", "GAMES", "Game", "RoundLog", "View", "game_class"]

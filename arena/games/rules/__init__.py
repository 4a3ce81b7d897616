"""The rules of the family: one class per game, and the table of them.

    game = game_class("lama")(seats=4, seed=bytes(16))
    while not game.finished:
        game.apply(game.legal_actions[0])

To add a game, write one file and add one entry here. When a change gives the same moves another
meaning, the old class moves to EARLIER and the new one gets the next ruleset number.
"""

from __future__ import annotations

from arena.games.rules.dice import Dice
from arena.games.rules.errors import UnknownGame
from arena.games.rules.game import Game, RoundLog
from arena.games.rules.kadabra import Kadabra
from arena.games.rules.lama import Lama
from arena.games.rules.party import Party
from arena.games.rules.view import View

GAMES: dict[str, type[Game]] = {game.name: game for game in (Lama, Party, Dice, Kadabra)}


# Rulesets that are no longer played; they stay so that old records can be replayed.
EARLIER: list[type[Game]] = []


def game_class(name: str, ruleset: str = "") -> type[Game]:
    """The class of a game, for its newest ruleset or the given one. Raises UnknownGame."""
    game = GAMES.get(name)
    if game is None:
        raise UnknownGame(f"There is no game {name!r}; the games are: {', '.join(GAMES)}.")
    if ruleset in ("", game.ruleset):
        return game
    for earlier in EARLIER:
        if earlier.ruleset == ruleset and earlier.name == name:
            return earlier
    raise UnknownGame(f"{game.title} has no ruleset {ruleset!r}; the newest is {game.ruleset!r}.")


__all__ = ["EARLIER", "GAMES", "Game", "RoundLog", "View", "game_class"]

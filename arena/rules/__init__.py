"""The rules of the family: one class per game, and the table of them.

    game = game_class("lama")(seats=4, seed=bytes(16))
    while not game.finished:
        game.apply(game.offered[0])

A fifth game is one new file and one line here. When the same moves would mean something else, the
class that did it the old way goes to EARLIER and the new one gets the next ruleset.
"""

from __future__ import annotations

from arena.rules.dice import Dice
from arena.rules.errors import UnknownGame
from arena.rules.game import Game, RoundLog
from arena.rules.kadabra import Kadabra
from arena.rules.lama import Lama
from arena.rules.party import Party
from arena.rules.view import View

GAMES: dict[str, type[Game]] = {game.name: game for game in (Lama, Party, Dice, Kadabra)}


# Rulesets that are played no more; records that name them are replayed for ever.
EARLIER: list[type[Game]] = []


def game_class(name: str, ruleset: str = "") -> type[Game]:
    """The game called `name`, by its newest ruleset or by the one named. Raises UnknownGame."""
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

"""The rules of the family: one class per game, and the table of them.

    game = game_class("lama")(seats=4, seed=bytes(16))
    while not game.finished:
        game.apply(game.offered[0])

A fifth game is one new file and one line here.
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


def game_class(name: str) -> type[Game]:
    """The game called `name`. Raises UnknownGame."""
    try:
        return GAMES[name]
    except KeyError:
        raise UnknownGame(
            f"There is no game {name!r}; the games are: {', '.join(GAMES)}."
        ) from None


__all__ = ["GAMES", "Game", "RoundLog", "View", "game_class"]

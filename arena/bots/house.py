"""What the house's bots have in common: a character of a name, with a strategy for each game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol

from arena.rules.view import View
from arena.sdk.bot import Bot


class Strategy(Protocol):
    """How to play one game. It decides from the view alone, so that a match can be repeated."""

    def choose(self, view: View) -> str:
        """One of `view.actions`."""


class HouseBot(Bot):
    """Plays each game by the strategy it has for it; answers fast, so it takes many questions."""

    max_in_flight = 256
    strategies: ClassVar[Mapping[str, Strategy]]

    def choose(self, view: View) -> str:
        """As the game's strategy says."""
        return self.strategies[view.game].choose(view)


def house_bot(name: str, games: Mapping[str, Mapping[str, Strategy]]) -> type[HouseBot]:
    """The bot of that name, with its strategies out of `games`: by game, then by name."""
    strategies = {game: named[name] for game, named in games.items() if name in named}
    fields = {"strategies": strategies, "games": tuple(strategies), "__doc__": f"House bot {name}."}
    return type(name.capitalize(), (HouseBot,), fields)


class Random:
    """Does anything, in any game."""

    def choose(self, view: View) -> str:
        """Any offered action, all alike."""
        return view.rng().choice(view.actions)

"""The common part of house bots: a name, with a strategy for each game."""

from collections.abc import Mapping
from typing import ClassVar, Protocol

from arena.games.rules.view import View
from arena.sdk.bot import Bot


class Strategy(Protocol):
    """A strategy for one game. It depends only on the view, so that matches are repeatable."""

    def choose(self, view: View) -> str:
        """Returns one of `view.actions`."""


class HouseBot(Bot):
    """Plays each game by its strategy. It answers fast, so it accepts many decisions at once."""

    max_in_flight = 256
    strategies: ClassVar[Mapping[str, Strategy]]

    def choose(self, view: View) -> str:
        """Applies the game's strategy."""
        return self.strategies[view.game].choose(view)


def house_bot(name: str, games: Mapping[str, Mapping[str, Strategy]]) -> type[HouseBot]:
    """Returns the class of a house bot; `games` has the strategies by game, then by name."""
    strategies = {game: named[name] for game, named in games.items() if name in named}
    fields = {"strategies": strategies, "games": tuple(strategies), "__doc__": f"House bot {name}."}
    return type(name.capitalize(), (HouseBot,), fields)


class Random:
    """Plays any game at random."""

    def choose(self, view: View) -> str:
        """Returns a uniformly random legal action."""
        return view.rng().choice(view.actions)

"""Strategies for LAMA Party Edition: those of L.A.M.A. with an eye for its special cards."""

from __future__ import annotations

from arena.bots import lama
from arena.bots.house import Random, Strategy
from arena.bots.lama import PLAY
from arena.rules.view import View


class Guest(lama.Stubborn):
    """Plus cards first, for the turn they give; the pink llama only when nothing else goes."""

    def pick(self, view: View, playable: list[str]) -> str:
        """The wish of the character it is mixed into, among the cards that are due."""
        plus = [action for action in playable if action.endswith("+")]
        usual = [action for action in playable if action != f"{PLAY}pink"]
        return super().pick(view, plus or usual or playable)


class Timid(Guest, lama.Timid):
    """Quits at twenty points or less."""


class Five(Guest, lama.Five):
    """Quits at five points or less."""


class Careful(Guest, lama.Careful):
    """Quits the sooner, the closer another player is to the end of his cards."""


class Sharp(Guest, lama.Sharp):
    """Weighs also how near its cards are, and is in no hurry to quit with the pink llama."""

    def has_enough(self, view: View) -> bool:
        """The pink llama can always be played, and a token of twenty may go back."""
        return "pink" not in view.hand and super().has_enough(view)


STRATEGIES: dict[str, Strategy] = {
    "random": Random(),
    "timid": Timid(),
    "stubborn": lama.Stubborn(),
    "five": Five(),
    "careful": Careful(),
    "sharp": Sharp(),
}

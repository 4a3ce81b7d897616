"""Strategies for LAMA Party Edition: those of L.A.M.A., plus the use of its special cards."""

from arena.bots import lama
from arena.bots.house import Random, Strategy
from arena.games.rules.view import PLAY, View


class Guest(lama.Stubborn):
    """Plays plus cards first, for the extra turn, and the pink llama only as a last resort."""

    def pick(self, view: View, playable: list[str]) -> str:
        """Applies the L.A.M.A. strategy to the preferred cards."""
        plus = [action for action in playable if action.endswith("+")]
        usual = [action for action in playable if action != f"{PLAY}pink"]
        return super().pick(view, plus or usual or playable)


class Timid(Guest, lama.Timid):
    """Quits at twenty points or fewer."""


class Five(Guest, lama.Five):
    """Quits at five points or fewer."""


class Careful(Guest, lama.Careful):
    """Quits sooner the closer another player is to going out."""


class Sharp(Guest, lama.Sharp):
    """Also considers the distance of its cards, and never quits with the pink llama."""

    def has_enough(self, view: View) -> bool:
        """The pink llama can always be played, and a token of twenty may be returned."""
        return "pink" not in view.hand and super().has_enough(view)


STRATEGIES: dict[str, Strategy] = {
    "random": Random(),
    "timid": Timid(),
    "stubborn": lama.Stubborn(),
    "five": Five(),
    "careful": Careful(),
    "sharp": Sharp(),
}

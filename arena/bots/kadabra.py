"""Strategies for LLAMA Kadabra: those of L.A.M.A., and what to do with tokens."""

from __future__ import annotations

from arena.bots import lama
from arena.bots.house import Random, Strategy
from arena.rules.view import View

LLAMA = "play llama"


class Magician(lama.Stubborn):
    """What the characters of L.A.M.A. lack: shows, gifts, the magic token, swapping."""

    def choose(self, view: View) -> str:
        """What only this game asks; else as the character it is mixed into."""
        if "swap" in view.actions and self.wants_black(view):
            return "swap"
        if view.ask == "show":
            return self.in_show(view)
        if view.ask == "give":
            return leader(view)
        chosen = super().choose(view)
        if chosen in ("draw", "quit") and "return magic" in view.actions:
            return "return magic"
        return chosen

    def in_show(self, view: View) -> str:
        """A llama, which gets rid of a token; else the magic token saves; else collect."""
        for wish in (LLAMA, "return magic"):
            if wish in view.actions:
                return wish
        return "collect"

    def wants_black(self, view: View) -> bool:
        """Whether to swap ten whites for a black now."""
        return False


class Timid(Magician, lama.Timid):
    """Quits at twenty points or less."""


class Stubborn(Magician):
    """Never quits while it can do anything else."""


class Five(Magician, lama.Five):
    """Quits at five points or less."""


class Careful(Magician, lama.Careful):
    """Quits the sooner, the closer another player is to the end of his cards."""


class Sharp(Magician, lama.Sharp):
    """Swaps when it is about to get rid of a token, so that ten points go instead of one."""

    def wants_black(self, view: View) -> bool:
        """With no white left over, so that the black is the lowest, and a card that takes it."""
        sheds = LLAMA in view.actions or "play 1o" in view.actions or view.ask == "give"
        return sheds and view.whites[view.seat] == 10


def leader(view: View) -> str:
    """The gift that goes to the active player with the fewest points."""
    gifts = [action for action in view.actions if action.startswith("give")]
    return min(gifts, key=lambda action: view.points[(view.seat + int(action[-1])) % view.seats])


STRATEGIES: dict[str, Strategy] = {
    "random": Random(),
    "timid": Timid(),
    "stubborn": Stubborn(),
    "five": Five(),
    "careful": Careful(),
    "sharp": Sharp(),
}

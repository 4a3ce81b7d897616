"""Strategies for LLAMA Kadabra: those of L.A.M.A., plus the use of tokens."""

from arena.bots import lama
from arena.bots.house import Random, Strategy
from arena.games.rules.view import View

LLAMA = "play llama"


class Magician(lama.Stubborn):
    """Extends a L.A.M.A. strategy with shows, gifts, the magic token and swapping."""

    def choose(self, view: View) -> str:
        """Handles the decisions of this game only; else plays as in L.A.M.A."""
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
        """Prefers a llama, which sheds a token, then returning the magic token, then collecting."""
        for preferred in (LLAMA, "return magic"):
            if preferred in view.actions:
                return preferred
        return "collect"

    def wants_black(self, view: View) -> bool:
        """Whether to swap ten whites for a black now."""
        return False


class Timid(Magician, lama.Timid):
    """Quits at twenty points or fewer."""


class Stubborn(Magician):
    """Quits only when it must."""


class Five(Magician, lama.Five):
    """Quits at five points or fewer."""


class Careful(Magician, lama.Careful):
    """Quits sooner the closer another player is to going out."""


class Sharp(Magician, lama.Sharp):
    """Swaps when it is about to shed a token, so that it sheds ten points instead of one."""

    def wants_black(self, view: View) -> bool:
        """Swaps if no white is left afterwards, so that the black is the lowest token to shed."""
        sheds = LLAMA in view.actions or "play 1o" in view.actions or view.ask == "give"
        return sheds and view.whites[view.seat] == 10


def leader(view: View) -> str:
    """Returns the gift to the active player with the fewest points."""
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

"""Two simple bots that connect from outside."""

from arena.games.rules import View
from arena.sdk import Bot


class First(Bot):
    """Takes what is offered first."""

    max_in_flight = 64

    def choose(self, view: View) -> str:
        """The first legal action."""
        return view.actions[0]


class Cautious(First):
    """Quits as soon as its hand is cheap."""

    def choose(self, view: View) -> str:
        """The last legal action, with few points; otherwise the first."""
        return view.actions[-1 if view.penalty <= 6 else 0]

"""A bot that its author submits, for the arena's host to play."""

from arena.games.rules import View
from arena.sdk import Bot


class Hosted(Bot):
    """Takes what is offered first."""

    def choose(self, view: View) -> str:
        """The first legal action."""
        return view.actions[0]

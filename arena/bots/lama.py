"""Strategies for L.A.M.A., from the weakest idea to the strongest."""

from __future__ import annotations

from arena.bots.cards import steps, worth
from arena.bots.house import Random, Strategy
from arena.rules.view import View

PLAY = "play "


class Stubborn:
    """Plays its lowest card, else draws; it never quits while it can do anything else."""

    def choose(self, view: View) -> str:
        """A play, a draw, to quit, in this order; gives back as much as it may."""
        if view.ask == "return":
            return view.actions[-1]
        if playable := plays(view):
            return self.pick(view, playable)
        return "quit" if "draw" not in view.actions or self.has_enough(view) else "draw"

    def pick(self, view: View, playable: list[str]) -> str:
        """Which of its playable cards to play."""
        return min(playable, key=lambda action: worth(action[len(PLAY) :]))

    def has_enough(self, view: View) -> bool:
        """Whether to quit rather than draw."""
        return False


class Five(Stubborn):
    """As Stubborn, but quits when it cannot play and its cards cost five points or less."""

    def has_enough(self, view: View) -> bool:
        """Five points are not worth a risk."""
        return view.penalty <= 5


class Timid(Five):
    """Plays on in the order of the cards, and quits rather early."""

    def pick(self, view: View, playable: list[str]) -> str:
        """The same card again before the next one, which then may still be playable."""
        return min(playable, key=lambda action: steps(action[len(PLAY) :], view.top))

    def has_enough(self, view: View) -> bool:
        """Up to twenty points are taken."""
        return view.penalty <= 20


class Careful(Timid):
    """Quits the sooner, the closer another player is to the end of his cards."""

    def has_enough(self, view: View) -> bool:
        """Six points, and one more for each card that the shortest other hand is below four."""
        return view.penalty <= 6 + (4 - shortest_hand(view))


class Sharp(Careful):
    """Weighs also how far its cards are from the pile, and what a token given back is worth."""

    def has_enough(self, view: View) -> bool:
        """As Careful; a card that is soon playable and ten points to be returned speak for more."""
        nearest = min(steps(card, view.top) for card in view.hand)
        limit = 5 + (4 - shortest_hand(view)) + 0.7 * (nearest - 4)
        return view.penalty <= limit - 2 * (view.points[view.seat] >= 10)


def plays(view: View) -> list[str]:
    """The offered plays."""
    return [action for action in view.actions if action.startswith(PLAY)]


def shortest_hand(view: View) -> int:
    """Cards of the player nearest to emptying his hand, of those who have not quit."""
    others = [
        cards
        for seat, (cards, active) in enumerate(zip(view.hand_sizes, view.active, strict=True))
        if active and seat != view.seat
    ]
    return min(others, default=6)


STRATEGIES: dict[str, Strategy] = {
    "random": Random(),
    "timid": Timid(),
    "stubborn": Stubborn(),
    "five": Five(),
    "careful": Careful(),
    "sharp": Sharp(),
}

"""Strategies for L.A.M.A."""

from arena.bots.house import Random, Strategy
from arena.games.rules.view import PLAY, View
from arena.value.cards import steps, worth


class Stubborn:
    """Plays its lowest card, else draws; it quits only when it must."""

    def choose(self, view: View) -> str:
        """Plays, else draws, else quits; returns the highest token."""
        if view.ask == "return":
            return view.actions[-1]
        if playable := plays(view):
            return self.pick(view, playable)
        return "quit" if "draw" not in view.actions or self.has_enough(view) else "draw"

    def pick(self, view: View, playable: list[str]) -> str:
        """Chooses among several plays."""
        return min(playable, key=lambda action: worth(action[len(PLAY) :]))

    def has_enough(self, view: View) -> bool:
        """Whether to quit rather than draw."""
        return False


class Five(Stubborn):
    """Like Stubborn, but quits when it cannot play and its cards cost five points or fewer."""

    def has_enough(self, view: View) -> bool:
        """Five points are not worth a risk."""
        return view.penalty <= 5


class Timid(Five):
    """Plays its cards in sequence, and quits early."""

    def pick(self, view: View, playable: list[str]) -> str:
        """Prefers the same value over the next one, which may then still be playable."""
        return min(playable, key=lambda action: steps(action[len(PLAY) :], view.top))

    def has_enough(self, view: View) -> bool:
        """Accepts up to twenty points."""
        return view.penalty <= 20


class Careful(Timid):
    """Quits sooner the closer another player is to going out."""

    def has_enough(self, view: View) -> bool:
        """Accepts six points, plus one for each card that the shortest other hand is below four."""
        return view.penalty <= 6 + (4 - shortest_hand(view))


class Sharp(Careful):
    """Also considers the distance of its cards from the top card, and the return of a token."""

    def has_enough(self, view: View) -> bool:
        """Like Careful, but continues with a card that is soon playable or ten points to return."""
        nearest = min(steps(card, view.top) for card in view.hand)
        limit = 5 + (4 - shortest_hand(view)) + 0.7 * (nearest - 4)
        return view.penalty <= limit - 2 * (view.points[view.seat] >= 10)


def plays(view: View) -> list[str]:
    """Returns the legal plays."""
    return [action for action in view.actions if action.startswith(PLAY)]


def shortest_hand(view: View) -> int:
    """Returns the number of cards in the shortest hand of the other active players."""
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

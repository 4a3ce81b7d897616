"""Short descriptions of views, for lists of decisions, and their phases."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from arena.games.match import Match
from arena.games.replay import steps
from arena.games.rules import View

_Each = TypeVar("_Each")

# In the order of lists. No game has all of them.
PHASES: Final = {
    "quit": "when to quit",
    "draw": "play or draw",
    "play": "which card to play",
    "discard": "which dice to discard by",
    "take": "which card to take",
    "show": "in a magic show",
    "magic": "the magic token",
    "give": "who gets a token",
    "keep": "which token to return",
}
BY_ASK: Final = {
    "return": "keep",
    "discard": "discard",
    "take": "take",
    "show": "show",
    "give": "give",
}
MAGIC: Final = ("swap", "return magic", "collect")


class Situation(NamedTuple):
    """A decision as its seat saw it; "by seat" starts with seat 0."""

    hand: tuple[str, ...]  # ascending; in Dice the open row
    top: str  # the card to play on; "" in Dice
    dice: tuple[str, ...]  # the roll, when one is to be used
    penalty: int  # points that the hand scores if the round ends now
    points: tuple[int, ...]  # by seat
    hand_sizes: tuple[int, ...]  # by seat
    active: tuple[bool, ...]  # by seat: whether it is still in the round

    def others(self, by_seat: Sequence[_Each], seat: int) -> list[_Each]:
        """Return the values of the other seats, in playing order after this one."""
        return [*by_seat[seat + 1 :], *by_seat[:seat]]

    def points_in_words(self, seat: int) -> str:
        """Return the points of the seat and of the others in playing order: "19 : 28, 30"."""
        return f"{self.points[seat]} : {', '.join(map(str, self.others(self.points, seat)))}"

    def sizes_in_words(self, seat: int) -> str:
        """Return the hand sizes of the others in playing order: "5, out, 3"."""
        sizes = self.others(self.hand_sizes, seat)
        plays = self.others(self.active, seat)
        return ", ".join(
            [str(size) if on else "out" for size, on in zip(sizes, plays, strict=True)]
        )

    @property
    def open_card(self) -> str:
        """The card to play on; in Dice the roll to be used."""
        return self.top or " ".join(self.dice)


def situation_of(view: View) -> Situation:
    """Return the situation of a view."""
    return Situation(
        view.hand, view.top, view.dice, view.penalty, view.points, view.hand_sizes, view.active
    )


def situations(match: Match) -> dict[int, Situation]:
    """Return the situations of all decisions of a match, by number."""
    return {step.view.number: situation_of(step.view) for step in steps(match.game, match.setup.id)}


def situation_from(stored: Mapping[str, Any]) -> Situation:
    """Return a situation that was stored as JSON."""
    known: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()
    }
    return Situation(**known)


def phase_of(ask: str, best: str, chosen: str) -> str:
    """Return the phase, a key of PHASES. In an ordinary turn it depends on the best and the chosen
    action, in notation."""
    if ask in BY_ASK:
        return BY_ASK[ask]
    both = (best, chosen)
    if "quit" in both:
        return "quit"
    if any(action in MAGIC for action in both):
        return "magic"
    return "draw" if "draw" in both else "play"

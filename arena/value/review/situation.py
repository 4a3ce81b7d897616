"""Short descriptions of views, for lists of decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from arena.games.match import Match
from arena.games.replay import steps
from arena.games.rules import View

_Each = TypeVar("_Each")


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

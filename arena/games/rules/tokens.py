"""Tokens of 1 and 10 points that can be swapped one way only: ten whites for a black.

In LAMA and Party, players swap tokens freely, so points alone suffice. In Dice and Kadabra, the
exact tokens matter, and swapping is the player's decision (DICE-27, KAD-18).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arena.games.rules.errors import BadView
from arena.games.rules.view import View

TEN: Final = 10


@dataclass(slots=True)
class Tokens:
    """White and black tokens of one holder: a player, or the magic stage. Tokens keep their value
    when they move (KAD-64)."""

    whites: int = 0
    blacks: int = 0

    @property
    def points(self) -> int:
        """The value of all tokens."""
        return self.whites + TEN * self.blacks

    @property
    def count(self) -> int:
        return self.whites + self.blacks

    def clone(self) -> Tokens:
        return Tokens(self.whites, self.blacks)

    def receive(self, points: int) -> None:
        """Adds tokens for these points, as few as possible (COM-9)."""
        self.blacks += points // TEN
        self.whites += points % TEN

    def swap(self) -> None:
        """Ten whites become a black."""
        self.whites -= TEN
        self.blacks += 1

    def returnable(self) -> tuple[int, ...]:
        """Returns the tokens that may be returned: a 1, or a 10 (perhaps ten whites swapped)."""
        one = (1,) if self.whites else ()
        ten = (TEN,) if self.blacks or self.whites >= TEN else ()
        return one + ten

    def give_back(self, token: int) -> None:
        """Removes one token; a 10 is a black, or ten swapped whites."""
        if token == 1:
            self.whites -= 1
        elif self.blacks:
            self.blacks -= 1
        else:
            self.whites -= TEN

    def move_lowest(self, other: Tokens) -> None:
        """Moves the lowest token to another holder (KAD-21, KAD-36). At least one must exist."""
        if self.whites:
            self.whites -= 1
            other.whites += 1
        else:
            self.blacks -= 1
            other.blacks += 1

    def move_all(self, other: Tokens) -> None:
        """Moves all tokens to another holder."""
        other.whites += self.whites
        other.blacks += self.blacks
        self.whites = self.blacks = 0


def tokens_in(view: View) -> list[Tokens]:
    """Returns the tokens of each seat. Raises BadView."""
    if not len(view.whites) == len(view.blacks) == view.seats:
        raise BadView("The view does not have the white and black tokens of every seat.")
    return [Tokens(*held) for held in zip(view.whites, view.blacks, strict=True)]

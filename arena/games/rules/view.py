"""The information of one seat, built from permitted parts instead of masking the full state."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from arena.games.rules.game import Game

PLAY = "play "

# The text of `help(View)`, because compiled classes have no docstrings.
ABOUT = """One decision, as the deciding seat sees it.

Return one of `actions` from `choose`:

    def choose(self, view):
        plays = [action for action in view.actions if action.startswith("play ")]
        return plays[0] if plays else view.actions[-1]

Cards and actions are text in the game's notation; `arena rules lama` explains it. "By seat"
means one entry for each seat, starting with seat 0.

The decision:
    actions     the legal actions; return one of them
    indices     their indices, in the same order
    ask         the kind of decision: "turn", "return" (of a token), in Dice also "discard" and
                "take", in Kadabra "show" and "give"
    match       the id of the match
    number      the number of the decision in the match, over all seats, from 1
    game        "lama", "party", "dice" or "kadabra"
    options     the options of the game that differ from their defaults
    round       the number of the round, from 1

Your seat:
    seat        the deciding seat
    hand        its cards, ascending
    penalty     the penalty points of this hand if the round ends now

All seats:
    starter     the seat that acted first in this round
    hand_sizes  the number of cards, by seat; players who quit keep theirs until scoring
    active      whether the seat is still in the round, by seat
    points      the penalty points, by seat

The table:
    top         the card to play on; "" in Dice
    start       the start card; "" in Dice
    pile        the number of cards left in the draw pile
    moves       the public moves of the round, such as "2 play 4, 0 draw"; see `history`. Rolls
                include their dice: "2 roll 1 llama 4"

Only in some games:
    whites      Dice, Kadabra: tokens of 1 point, by seat
    blacks      Dice, Kadabra: tokens of 10 points, by seat
    rows        Dice: the open cards, ascending, by seat
    llama_row   Dice: the remaining cards of the llama row
    dice        Dice: the roll to use, if any
    stage       Kadabra: the numbers of white and black tokens on the magic stage
    magic       Kadabra: the place of the magic token: "pool", "stage", or a seat

Derived from the fields:
    seats       the number of seats at the table
    alone       whether every other player has quit the round
    history     `moves` as a tuple, oldest first: "SEAT ACTION"
    discards    the discard pile, oldest first, with the start card; empty in Dice
    text()      all of this in plain words, for a language model
    rng()       random numbers for this decision, which only you can reproduce
    sample_states(n)
                n game states that are consistent with this view

Not part of the game:
    key         the bot's secret, from which `rng` is derived; never sent
"""


class View(NamedTuple):
    """One decision, as the deciding seat sees it; ABOUT describes the fields."""

    match: str
    number: int
    game: str
    options: Mapping[str, str]
    round: int
    ask: str
    seat: int
    starter: int
    hand: tuple[str, ...]
    penalty: int
    hand_sizes: tuple[int, ...]
    active: tuple[bool, ...]
    points: tuple[int, ...]
    start: str
    top: str
    pile: int
    moves: str
    actions: tuple[str, ...]
    indices: tuple[int, ...]
    whites: tuple[int, ...] = ()
    blacks: tuple[int, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    llama_row: tuple[str, ...] = ()
    dice: tuple[str, ...] = ()
    stage: tuple[int, ...] = ()
    magic: str = ""
    key: bytes = b""

    @property
    def seats(self) -> int:
        """The number of seats at the table."""
        return len(self.points)

    @property
    def alone(self) -> bool:
        """Whether every other player has quit the round."""
        return sum(self.active) == 1

    @property
    def history(self) -> tuple[str, ...]:
        """The round's public moves, oldest first: "SEAT ACTION"."""
        return tuple(self.moves.split(", ")) if self.moves else ()

    @property
    def discards(self) -> tuple[str, ...]:
        """The discard pile, oldest first: the start card, then every card played. None in Dice."""
        if not self.start:
            return ()
        actions = [move.partition(" ")[2] for move in self.history]
        played = [action[len(PLAY) :] for action in actions if action.startswith(PLAY)]
        return (self.start, *played)

    def text(self) -> str:
        """Returns the view in plain words. The last line lists the legal actions."""
        from arena.games.rules.wording import text  # lazily: it imports all games

        return text(self)

    def rng(self) -> random.Random:
        """Returns a generator that depends only on the decision and the bot's key. You can
        reproduce its numbers, and other players cannot predict them."""
        decision = f"{self.match} {self.number} {self.seat}".encode()
        return random.Random(
            int.from_bytes(hashlib.sha256(self.key + decision).digest()[:8], "big")
        )

    def sample_states(self, count: int, rng: random.Random | None = None) -> list[Game]:
        """Returns `count` games in play that are consistent with this view.

        Hidden cards and future events are drawn with `rng`. The default, `self.rng()`, gives the
        same games each time. For the errors raised, see `arena.games.rules.sampling`.
        """
        from arena.games.rules.sampling import sample_states  # lazily: it imports all games

        return sample_states(self, count, self.rng() if rng is None else rng)


def _document() -> None:
    """Sets the docstrings of the class and its fields for `help`."""
    view: Any = View  # mypyc forbids assigning to a class
    view.__doc__ = ABOUT
    view.__new__.__annotations__ = {}
    for name, about in re.findall(r"^ {4}(\w+) {2,}(.+(?:\n {16}.+)*)", ABOUT, re.MULTILINE):
        getattr(view, name).__doc__ = " ".join(about.split())


_document()

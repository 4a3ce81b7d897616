"""What one seat may know: built up as a whitelist, never by masking the full state."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from arena.rules.game import Game

PLAY = "play "


class View(NamedTuple):
    """One decision as the deciding seat sees it (INFO-1, INFO-3).

    Sequences "by seat" have one entry per seat. Cards and actions are in notation.
    """

    match: str  # the match's id
    number: int  # the decision's number in the match, over all seats, from 1
    game: str
    options: Mapping[str, str]  # options that differ from their defaults
    round: int  # from 1
    ask: str  # the phase: "turn", "return" (of a token), in Dice also "discard" and "take", in
    # Kadabra "show" and "give"; see docs/rules.md
    seat: int  # the deciding seat
    starter: int  # the seat that acted first in this round
    hand: tuple[str, ...]  # the seat's own cards, ascending
    penalty: int  # what this hand would score if the round ended now
    hand_sizes: tuple[int, ...]  # by seat; players who quit keep their cards until scoring
    active: tuple[bool, ...]  # by seat: still in the round
    points: tuple[int, ...]  # by seat: points held
    start: str  # the start card; "" in Dice
    top: str  # the card to play on; "" in Dice
    pile: int  # cards left in the draw pile
    moves: str  # the round's public moves, "SEAT ACTION" each, joined by ", "; see `history`.
    # A roll is followed by its dice: "2 roll 1 llama 4"
    actions: tuple[str, ...]  # the legal actions, in notation
    indices: tuple[int, ...]  # their stable indices, in the same order

    # Only for the games named; by seat unless stated otherwise.
    whites: tuple[int, ...] = ()  # Dice, Kadabra: tokens of 1 point
    blacks: tuple[int, ...] = ()  # Dice, Kadabra: tokens of 10 points
    rows: tuple[tuple[str, ...], ...] = ()  # Dice: the open cards, ascending
    llama_row: tuple[str, ...] = ()  # Dice: the cards left in the llama row
    dice: tuple[str, ...] = ()  # Dice: the roll, when one is to be used
    stage: tuple[int, ...] = ()  # Kadabra: the number of whites and of blacks on the magic stage
    magic: str = ""  # Kadabra: where the magic token is: "pool", "stage", or a seat

    # Not part of the game: the bot's secret, from which `rng` is derived. Never sent.
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

    def rng(self) -> random.Random:
        """A generator that depends only on the decision and the bot's key, so the key's owner can
        reproduce what the bot did and nobody else can predict it."""
        decision = f"{self.match} {self.number} {self.seat}".encode()
        return random.Random(
            int.from_bytes(hashlib.sha256(self.key + decision).digest()[:8], "big")
        )

    def sample_states(self, count: int, rng: random.Random | None = None) -> list[Game]:
        """`count` games in play that look like this to the deciding seat; hidden cards and the
        future are drawn with `rng`, by default `self.rng()`, which draws the same each time.

        See `arena.rules.sampling`, also for the errors raised.
        """
        from arena.rules.sampling import sample_states  # which imports all games

        return sample_states(self, count, self.rng() if rng is None else rng)

"""What one seat may know: a whitelist, built from nothing, never a masked state."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from typing import NamedTuple

PLAY = "play "


class View(NamedTuple):
    """One decision through the eyes of the seat that is asked (INFO-1, INFO-3).

    Sequences "by seat" have one entry per seat. Cards and actions are in notation.
    """

    match: str  # the match's id
    number: int  # of the decision, counted over all seats, from 1
    game: str
    options: Mapping[str, str]  # those that are not at their defaults
    round: int  # from 1
    ask: str  # what is to be decided: "turn", "return" (of a token), in Dice also "discard" and
    # "take", in Kadabra "show" and "give"; see docs/rules.md
    seat: int  # whose eyes these are
    starter: int  # the seat that acted first in this round
    hand: tuple[str, ...]  # own cards, ascending
    penalty: int  # what the own hand would score if the round ended now
    hand_sizes: tuple[int, ...]  # by seat; who quit keeps his cards until scoring
    active: tuple[bool, ...]  # by seat: still in the round
    points: tuple[int, ...]  # by seat: points held
    start: str  # the card that was turned over at the start; "" in Dice
    top: str  # the card to play on; "" in Dice
    pile: int  # cards left to draw
    moves: str  # the round's public moves, "SEAT ACTION" each, joined by ", "; see `history`.
    # After "roll" stands what was rolled: "2 roll 1 llama 4"
    actions: tuple[str, ...]  # offered, in notation
    indices: tuple[int, ...]  # their stable indices, in the same order

    # Only where the game has them; by seat where not said otherwise.
    whites: tuple[int, ...] = ()  # Dice, Kadabra: tokens of 1 point
    blacks: tuple[int, ...] = ()  # Dice, Kadabra: tokens of 10 points
    rows: tuple[tuple[str, ...], ...] = ()  # Dice: the open cards, ascending
    llama_row: tuple[str, ...] = ()  # Dice: cards left in it
    dice: tuple[str, ...] = ()  # Dice: what was rolled, when the roll is to be used
    stage: tuple[int, ...] = ()  # Kadabra: whites and blacks on the magic stage
    magic: str = ""  # Kadabra: where the magic token is: "pool", "stage", or a seat

    # Not of the game: what only the bot has, and its chance comes from. Never sent.
    key: bytes = b""

    @property
    def seats(self) -> int:
        """Seats at the table."""
        return len(self.points)

    @property
    def alone(self) -> bool:
        """Whether everybody else has quit the round."""
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
        """Chance that depends on the decision and the bot's key alone: who has the key can play the
        bot again, and nobody else can tell what it will draw."""
        decision = f"{self.match} {self.number} {self.seat}".encode()
        return random.Random(
            int.from_bytes(hashlib.sha256(self.key + decision).digest()[:8], "big")
        )

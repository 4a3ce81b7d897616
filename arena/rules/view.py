"""What one seat may know: a whitelist, built from nothing, never a masked state."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class View:
    """One decision through the eyes of the seat that is asked (INFO-1, INFO-3).

    Sequences "by seat" have one entry per seat. Cards and actions are in notation.
    """

    match: str  # the match's id
    number: int  # of the decision, counted over all seats, from 1
    game: str
    options: Mapping[str, str]
    round: int  # from 1
    ask: str  # what is to be decided: "turn", or "return" (of a token)
    seat: int  # whose eyes these are
    starter: int  # the seat that acted first in this round
    hand: tuple[str, ...]  # own cards, ascending
    penalty: int  # what the own hand would score if the round ended now
    hand_sizes: tuple[int, ...]  # by seat; who quit keeps his cards until scoring
    active: tuple[bool, ...]  # by seat: still in the round
    points: tuple[int, ...]  # by seat: points held
    discards: tuple[str, ...]  # the start card, then every card played; the last is the top
    pile: int  # cards left to draw
    history: tuple[str, ...]  # the round's public moves: "SEAT ACTION"
    actions: tuple[str, ...]  # offered, in notation
    indices: tuple[int, ...]  # their stable indices, in the same order

    @property
    def seats(self) -> int:
        """Seats at the table."""
        return len(self.points)

    @property
    def top(self) -> str:
        """The card to play on."""
        return self.discards[-1]

    @property
    def alone(self) -> bool:
        """Whether everybody else has quit the round."""
        return sum(self.active) == 1

    def index(self, action: str) -> int:
        """The stable index of an offered action; ValueError if it is not offered."""
        return self.indices[self.actions.index(action)]

    def rng(self) -> random.Random:
        """Chance that depends on the decision alone, so that a bot can be played again."""
        key = f"{self.match} {self.number} {self.seat}".encode()
        return random.Random(int.from_bytes(hashlib.sha256(key).digest()[:8], "big"))

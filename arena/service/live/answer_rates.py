"""A gateway's measurements of how fast bots answer; `arena.service.live.paces` stores them.

They are separate for each *load*, the number of decisions that the bot holds, in powers of two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(slots=True)
class AnswerCounts:
    """The measurements at one load."""

    seconds: float = 0.0
    held: float = 0.0  # decisions times seconds
    answers: float = 0.0

    def weaken(self, share: float) -> None:
        """Reduces the weight of the counts to `share`."""
        self.seconds *= share
        self.held *= share
        self.answers *= share


Loads: TypeAlias = dict[int, AnswerCounts]  # by the bit length of the number of decisions held


@dataclass(frozen=True, slots=True)
class Paces:
    """A player's measurements by game, and the number of decisions that it accepted at once when it
    was last connected."""

    max_in_flight: int
    by_game: Mapping[str, Loads] = field(default_factory=dict)

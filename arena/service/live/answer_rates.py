"""What a gateway counts of how fast a bot answers; `arena.service.live.paces` keeps it in Redis.

Time and answers are counted apart for each *load*, how many questions the bot holds, in steps of
a factor of two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(slots=True)
class AnswerCounts:
    """What was counted while a bot held about so many questions."""

    seconds: float = 0.0
    held: float = 0.0  # questions times seconds
    answers: float = 0.0

    def weaken(self, share: float) -> None:
        """Counts as so much of it from now on."""
        self.seconds *= share
        self.held *= share
        self.answers *= share


Loads: TypeAlias = dict[int, AnswerCounts]  # by the number of binary digits of the questions held


@dataclass(frozen=True, slots=True)
class Paces:
    """What was counted of a player by game, and how many questions it took at once when it was
    last connected."""

    max_in_flight: int
    by_game: Mapping[str, Loads] = field(default_factory=dict)

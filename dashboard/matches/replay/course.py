"""The positions of a replay: each decision, and the end of each round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from arena.base.errors import NotFound
from arena.games.match import Match


class ReplayPosition(NamedTuple):
    """A round (from 1) and the number of its moves done. After its last move it is scored."""

    round: int
    done: int


@dataclass(frozen=True)
class Course:
    """All positions of a match in order, given the number of moves in each round."""

    lengths: Sequence[int]

    @classmethod
    def of(cls, match: Match) -> Course:
        return cls([len(log.moves) for log in match.game.rounds])

    @property
    def moves(self) -> int:
        return sum(self.lengths)

    @property
    def firsts(self) -> list[int]:
        return list(accumulate(self.lengths[:-1], initial=1))

    def at_move(self, number: int) -> ReplayPosition:
        """The position before the move with this number. Raises NotFound."""
        if not 1 <= number <= self.moves:
            raise NotFound(f"This match has no move {number}. Choose one from 1 to {self.moves}.")
        index = sum(first <= number for first in self.firsts) - 1
        return ReplayPosition(index + 1, number - self.firsts[index])

    def at_end_of(self, round_number: int) -> ReplayPosition:
        """The position at the end of a round, when it is scored. Raises NotFound."""
        if not 1 <= round_number <= len(self.lengths):
            raise NotFound(
                f"This match has no round {round_number}. Choose one from 1 to {len(self.lengths)}."
            )
        return ReplayPosition(round_number, self.lengths[round_number - 1])

    def query(self, place: ReplayPosition) -> dict[str, int]:
        if place.done == self.lengths[place.round - 1]:
            return {"scored": place.round}
        return {"move": self.firsts[place.round - 1] + place.done}

    def before(self, place: ReplayPosition) -> ReplayPosition | None:
        """The previous position; None at the start."""
        if place.done:
            return ReplayPosition(place.round, place.done - 1)
        return self.at_end_of(place.round - 1) if place.round > 1 else None

    def after(self, place: ReplayPosition) -> ReplayPosition | None:
        """The next position; None at the end."""
        if place.done < self.lengths[place.round - 1]:
            return ReplayPosition(place.round, place.done + 1)
        return ReplayPosition(place.round + 1, 0) if place.round < len(self.lengths) else None

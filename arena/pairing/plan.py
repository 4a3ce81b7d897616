"""What every tournament format speaks: planned matches, and the verbs that plan them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from arena.pairing.spec import TournamentSpec


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match to be played.

    `position` counts a tournament's matches from 0 in scheduled order and names the match.
    `deal` numbers the cards: matches with one deal number have the same cards. `seats` are
    entrant numbers (places in the spec's `bots`, from 0) by seat.
    """

    position: int
    deal: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """A planned match with its outcome: points, ranks from 1, and forfeits, by seat."""

    match: PlannedMatch
    points: tuple[int, ...]
    ranks: tuple[int, ...]
    forfeited: tuple[bool, ...]


class Format(Protocol):
    """How a tournament is planned, block by block.

    A block is the unit in which matches are planned, handed to a worker and stored. Whoever
    carries a tournament on asks for `block(spec, number, so_far)` with number 0, 1, 2, ...
    until it gets an empty block. Where `needs_results` is false, the blocks follow from the
    spec alone and may be asked for in any order and at any time, without `so_far`. Where it
    is true (Swiss, ladder, sequential test), a block may be asked for only when all blocks
    before it are finished, and `so_far` are all their matches in scheduled order; the same
    spec and results give the same block.
    """

    needs_results: bool

    def count(self, spec: TournamentSpec) -> int:
        """How many matches are planned in all; the most there can be if results decide."""

    def block(
        self, spec: TournamentSpec, number: int, so_far: Sequence[Played] = ()
    ) -> tuple[PlannedMatch, ...]:
        """The matches of one block in scheduled order; empty when there are no more."""

"""What a review says. Scores are expected scores from 0 to 1: the mean, over the opponents, of 1
for a better result than theirs and ½ for an equal one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.games.match import FaultKind
from arena.value.review.chance import Chance
from arena.value.review.situation import Situation
from arena.value.review.verdicts import Verdict


class Option(NamedTuple):
    """A legal action, and what it was worth given what the seat knew."""

    action: str  # in notation
    score: float  # expected at the end of the match
    points: float  # that the seat may expect to take until the end of the round
    error: float  # standard error of `score`


class Judged(NamedTuple):
    """A decision that a seat took itself, with more than one legal action."""

    number: int  # the decision's, over all seats, from 1
    seat: int
    round: int  # from 1
    phase: str  # a key of `phases.PHASES`
    chosen: str  # in notation
    options: tuple[Option, ...]  # the best first
    loss: float  # best less chosen; a little below 0 is none
    error: float  # standard error of `loss`
    stake: float  # best less worst
    verdict: Verdict
    situation: Situation

    @property
    def best(self) -> str:
        """The best action, in notation."""
        return self.options[0].action

    @property
    def score(self) -> float:
        """What was to be expected after the choice."""
        return next(one.score for one in self.options if one.action == self.chosen)


class FaultMove(NamedTuple):
    """A move that the arena made for a seat at fault. The seat did not choose it, so it is not
    judged: it has a cost and no verdict."""

    number: int  # the decision's, over all seats, from 1
    seat: int
    round: int  # from 1
    fault: FaultKind
    forfeits: bool  # the seat forfeited by this fault
    further: int  # moves with a choice that the arena made for the seat after it forfeited
    chosen: str  # the default action, in notation
    situation: Situation  # as of a decision
    best: str | None = None  # the best action; None before its cost is known
    cost: float | None = None  # in expected score; of a forfeit, up to the end of the match
    error: float | None = None  # standard error of `cost`


class PhaseTotals(NamedTuple):
    """What a seat's choices of one kind came to."""

    decisions: int
    lost: float
    stake: float


class SeatReview(NamedTuple):
    """How well a seat chose in the decisions that it took itself."""

    decisions: int  # that were judged
    lost: float  # expected score, over all of them
    error: float  # standard error of `lost`
    stake: float  # what the worst choices would have lost
    verdicts: Mapping[str, int]  # how many of each, none left out
    phases: Mapping[str, PhaseTotals]  # those that occurred, by key of `phases.PHASES`

    @property
    def accuracy(self) -> float | None:
        """The share of what was at stake that the seat kept, from 0 to 1; None if nothing was."""
        return accuracy(self.lost, self.stake)


class Review(NamedTuple):
    """A match, reviewed."""

    match: str  # its id
    game: str
    reviewer: str  # who says so: how it plays on, its nets, how many samples
    decisions: tuple[Judged, ...]  # in order
    seats: tuple[SeatReview, ...]
    chances: tuple[Chance, ...] = ()  # in order; none without a net
    faults: tuple[FaultMove, ...] = ()  # in order: the moves that are not judged


def accuracy(lost: float, stake: float) -> float | None:
    """The share of a stake that is left after what was lost of it; None without a stake."""
    return min(1.0, max(0.0, 1.0 - lost / stake)) if stake > 0 else None

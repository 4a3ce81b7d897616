"""Data types of a review, its verdicts, and the totals of each seat.

Scores are expected scores from 0 to 1: the mean, over the opponents, of 1 for a better result than
theirs and ½ for an equal one.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from arena.games.match import FaultKind
from arena.value.review.chance import Chance
from arena.value.review.situation import PHASES, Situation

Verdict: TypeAlias = Literal["", "inaccuracy", "mistake", "blunder"]

# Losses in expected score (1: ahead of all opponents, 0: behind all), the worst first.
THRESHOLDS: Final[tuple[tuple[float, Verdict], ...]] = (
    (0.10, "blunder"),
    (0.05, "mistake"),
    (0.03, "inaccuracy"),
)
NAMES: Final[tuple[Verdict, ...]] = tuple([name for _, name in THRESHOLDS])
SURE: Final = 2.0  # standard errors of a significant loss


def verdict(loss: float, error: float) -> Verdict:
    """Return the worst name whose threshold the loss reaches, or "" if it is not significant."""
    if loss < SURE * error:
        return ""
    return next((name for least, name in THRESHOLDS if loss >= least), "")


class Option(NamedTuple):
    """A legal action and its value, given the knowledge of the seat."""

    action: str  # in notation
    score: float  # expected at the end of the match
    points: float  # expected to be taken until the end of the round
    error: float  # standard error of `score`


class Judged(NamedTuple):
    """A decision by the seat itself, with more than one legal action."""

    number: int  # of the decision, over all seats, from 1
    seat: int
    round: int  # from 1
    phase: str  # a key of `situation.PHASES`
    chosen: str  # in notation
    options: tuple[Option, ...]  # the best first
    loss: float  # best less chosen; noise can make it slightly negative
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
        """The expected score after the choice."""
        return next(one.score for one in self.options if one.action == self.chosen)


class FaultMove(NamedTuple):
    """A move that the arena made for a seat at fault. It has a cost, but no verdict."""

    number: int  # of the decision, over all seats, from 1
    seat: int
    round: int  # from 1
    fault: FaultKind
    forfeits: bool  # the seat forfeited by this fault
    further: int  # later default moves after a forfeit, not counting forced ones
    chosen: str  # the default action, in notation
    situation: Situation
    best: str | None = None  # the best action; None before its cost is known
    cost: float | None = None  # in expected score; for a forfeit, up to the end of the match
    error: float | None = None  # standard error of `cost`


class PhaseTotals(NamedTuple):
    """Totals of a seat's decisions of one phase."""

    decisions: int
    lost: float
    stake: float


class SeatReview(NamedTuple):
    """Totals of the decisions by a seat itself."""

    decisions: int  # number of judged decisions
    lost: float  # expected score, in total
    error: float  # standard error of `lost`
    stake: float  # the loss of the worst choices, in total
    verdicts: Mapping[str, int]  # number of each verdict, including zeros
    phases: Mapping[str, PhaseTotals]  # those that occurred, by key of `situation.PHASES`

    @property
    def accuracy(self) -> float | None:
        """The share of its stake that the seat kept, from 0 to 1; None without a stake."""
        return accuracy(self.lost, self.stake)


class Review(NamedTuple):
    """The review of a match."""

    match: str  # its id
    game: str
    reviewer: str  # identifies the playing style, the models and the number of samples
    decisions: tuple[Judged, ...]  # in order
    seats: tuple[SeatReview, ...]
    chances: tuple[Chance, ...] = ()  # in order; none without a luck model
    faults: tuple[FaultMove, ...] = ()  # in order; not judged


def accuracy(lost: float, stake: float) -> float | None:
    """Return the share of a stake that is not lost; None without a stake."""
    return min(1.0, max(0.0, 1.0 - lost / stake)) if stake > 0 else None


def by_seat(decisions: Iterable[Judged], seats: int) -> tuple[SeatReview, ...]:
    """Return the review of each seat."""
    own: list[list[Judged]] = [[] for _ in range(seats)]
    for each in decisions:
        own[each.seat].append(each)
    return tuple([seat_review(each) for each in own])


def seat_review(decisions: Sequence[Judged]) -> SeatReview:
    """Return the totals of one seat's decisions."""
    return SeatReview(
        decisions=len(decisions),
        lost=sum(each.loss for each in decisions),
        error=math.sqrt(sum(each.error**2 for each in decisions)),
        stake=sum(each.stake for each in decisions),
        verdicts={name: sum(each.verdict == name for each in decisions) for name in NAMES},
        phases={
            phase: _totals([each for each in decisions if each.phase == phase])
            for phase in PHASES
            if any(each.phase == phase for each in decisions)
        },
    )


def _totals(decisions: Sequence[Judged]) -> PhaseTotals:
    return PhaseTotals(
        len(decisions),
        sum(each.loss for each in decisions),
        sum(each.stake for each in decisions),
    )

"""The schema of a review in the API document."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from arena.games.match import FaultKind
from arena.value.review.verdicts import Verdict
from dashboard.api.shape import Shape


class ReviewOption(TypedDict):
    """A legal action: its expected score from 0 to 1, the standard error of that, and the
    penalty points that the seat can expect until the end of the round."""

    action: str
    score: float
    points: float
    error: float


class ReviewSituation(TypedDict):
    """The view of the seat: its `hand` (in Dice, its open row), the `top` card (empty in Dice),
    the unused `dice`, and its `penalty` if the round ended now. By seat: `points`, `hand_sizes`,
    and whether the seat is still `active` in the round."""

    hand: list[str]
    top: str
    dice: list[str]
    penalty: int
    points: list[int]
    hand_sizes: list[int]
    active: list[bool]


class ReviewDecision(TypedDict):
    """A decision: its legal actions, best first, and the loss of the chosen one.

    `stake` is the loss of the worst action, `phase` the kind of choice. `verdict` is empty if
    the loss is small or may be chance.
    """

    number: int
    seat: int
    round: int
    phase: str
    chosen: str
    options: list[ReviewOption]
    loss: float
    error: float
    stake: float
    verdict: Verdict
    situation: ReviewSituation


class ReviewFault(TypedDict):
    """A move that the arena made for a seat at fault; it is not judged. `chosen` is the default
    action.

    `cost` is the expected score of the best action minus the default's, and `error` its
    standard error. A seat that `forfeits` loses its whole expected score, minus its score against
    others that forfeit, and the arena made `further` more decisions for it.
    """

    number: int
    seat: int
    round: int
    fault: FaultKind
    forfeits: bool
    further: int
    chosen: str
    best: str | None
    cost: float | None
    error: float | None
    situation: ReviewSituation


class ReviewPhase(TypedDict):
    """Totals of a seat's choices of one kind."""

    decisions: int
    lost: float
    stake: float


class ReviewSeat(TypedDict):
    """Totals of the decisions that a seat took itself. `accuracy` is the share of the stake that
    it kept, from 0 to 1, or null if it had no choice. `error` is the standard error of `lost`."""

    decisions: int
    accuracy: float | None
    lost: float
    error: float
    stake: float
    verdicts: dict[str, int]
    phases: dict[str, ReviewPhase]


class ReviewChance(TypedDict):
    """A random event: a deal, a drawn card or a roll.

    `number` is the decision that led to it; for a deal, the first one after it. `seat` is null
    for a deal. `luck` is by seat: the expected score after the event, minus the average over all
    possible outcomes.
    """

    number: int
    round: int
    kind: Literal["deal", "draw", "roll"]
    seat: int | None
    luck: list[float]


REVIEW = Shape(
    "Review",
    about=(
        "The review of a match. `decisions`, `seats`, `chances` and `faults` are empty until it"
        " is done. `summary` is a sentence about what decided the match. `ahead` is the number of"
        " reviews before it in the queue, and `starts_s` the expected seconds until it starts."
        " `note` is the reason of a failure."
    ),
    more={
        "match": str,
        "state": Literal["none", "waiting", "done", "failed"],
        "ahead": int,
        "starts_s": float | None,
        "note": str,
        "summary": str,
        "reviewer": str,
        "decisions": list[ReviewDecision],
        "seats": list[ReviewSeat],
        "chances": list[ReviewChance],
        "faults": list[ReviewFault],
    },
)

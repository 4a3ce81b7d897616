"""The review of a match as the document of /api describes it."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from arena.games.match import FaultKind
from arena.value.review.verdicts import Verdict
from dashboard.api.shape import Shape


class ReviewOption(TypedDict):
    """A legal action: the score from 0 to 1 that the seat could expect with it, its standard
    error, and the points that it could expect to take until the end of the round."""

    action: str
    score: float
    points: float
    error: float


class ReviewSituation(TypedDict):
    """What the seat saw: its `hand`, in Dice its open row; the `top` card, empty in Dice; the
    `dice` that were to be used; the points in hand, which are its `penalty` if the round ends now;
    by seat the points, the numbers of cards, and whether it is still in the round."""

    hand: list[str]
    top: str
    dice: list[str]
    penalty: int
    points: list[int]
    hand_sizes: list[int]
    active: list[bool]


class ReviewDecision(TypedDict):
    """A decision: its legal actions, the best first, and what the chosen one lost against it.

    `stake` is what the worst would have lost; `phase` is the kind of choice; `verdict` is empty
    where nothing is wrong, or the loss may be chance.
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
    """A move that the arena made for a seat at fault, so it is not judged: `chosen` is the default
    action.

    `cost` is the expected score of the best action less that of the default, and `error` its
    standard error. A seat that `forfeits` loses all that it could still expect, and the arena made
    `further` moves with a choice for it.
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
    """What a seat's choices of one kind came to."""

    decisions: int
    lost: float
    stake: float


class ReviewSeat(TypedDict):
    """How well a seat chose in the decisions that it took itself: `accuracy` is the share of the
    stake that it kept, from 0 to 1, null where it had no choice; `error` is the standard error of
    `lost`."""

    decisions: int
    accuracy: float | None
    lost: float
    error: float
    stake: float
    verdicts: dict[str, int]
    phases: dict[str, ReviewPhase]


class ReviewChance(TypedDict):
    """Something that chance decided: a deal, a card drawn or a roll.

    `number` is the decision that led to it, for a deal the first one after it; `seat` is null for
    a deal. `luck` is by seat: the expected score with what came less the mean over all that could
    have come.
    """

    number: int
    round: int
    kind: Literal["deal", "draw", "roll"]
    seat: int | None
    luck: list[float]


REVIEW = Shape(
    "Review",
    about=(
        "What is known of the review of a match. `decisions`, `seats`, `chances` and"
        " `faults` are empty until it is done; `summary` says in a sentence what decided the match;"
        " `ahead` is how many are made before it, and `starts_s` the seconds until it is"
        " expected to start; `note` says why it failed."
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

"""The schema of a review in the API document: the types of `arena.value.review` as JSON."""

from __future__ import annotations

from typing import Literal

from arena.value.review import Chance, Judged, Option, PhaseTotals
from arena.value.review.model import FaultMove
from arena.value.review.situation import Situation
from dashboard.api.shape import Many, Shape

OPTION = Shape(
    "ReviewOption",
    Option,
    about="A legal action: its expected score from 0 to 1, the standard error of that, and the "
    "penalty points that the seat can expect until the end of the round.",
)
SITUATION = Shape(
    "ReviewSituation",
    Situation,
    about="The view of the seat: its `hand` (in Dice, its open row), the `top` card (empty in "
    "Dice), the unused `dice`, and its `penalty` if the round ended now. By seat: `points`, "
    "`hand_sizes`, and whether the seat is still `active` in the round.",
)
DECISION = Shape(
    "ReviewDecision",
    Judged,
    about="A decision: its legal actions, best first, and the loss of the chosen one.\n\n"
    "`stake` is the loss of the worst action, `phase` the kind of choice. `verdict` is empty if "
    "the loss is small or may be chance.",
    more={"options": Many(OPTION), "situation": SITUATION},
)
FAULT = Shape(
    "ReviewFault",
    FaultMove,
    about="A move that the arena made for a seat at fault; it is not judged. `chosen` is the "
    "default action.\n\n"
    "`cost` is the expected score of the best action minus the default's, and `error` its "
    "standard error. A seat that `forfeits` loses its whole expected score, minus its score "
    "against others that forfeit, and the arena made `further` more decisions for it.",
    hidden=("situation",),
    more={"situation": SITUATION},  # as the last field
)
PHASE = Shape("ReviewPhase", PhaseTotals, about="Totals of a seat's choices of one kind.")
SEAT = Shape(
    "ReviewSeat",
    about="Totals of the decisions that a seat took itself. `accuracy` is the share of the stake "
    "that it kept, from 0 to 1, or null if it had no choice. `error` is the standard error of "
    "`lost`.",
    more={
        "decisions": int,
        "accuracy": float | None,
        "lost": float,
        "error": float,
        "stake": float,
        "verdicts": dict[str, int],
        "phases": dict[str, PHASE.type],  # type: ignore[name-defined]
    },
)
CHANCE = Shape(
    "ReviewChance",
    Chance,
    about="A random event: a deal, a drawn card or a roll.\n\n"
    "`number` is the decision that led to it; for a deal, the first one after it. `seat` is null "
    "for a deal. `luck` is by seat: the expected score after the event, minus the average over "
    "all possible outcomes.",
)

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
        "decisions": Many(DECISION),
        "seats": Many(SEAT),
        "chances": Many(CHANCE),
        "faults": Many(FAULT),
    },
)

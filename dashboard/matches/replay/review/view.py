"""Requesting the review of a match, and the review as JSON: the types of `arena.value.review`.

Sealed matches have none.
"""

import hashlib
from typing import Any, Literal

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.base import instant
from arena.base.errors import LimitReached, NotNow, Unavailable
from arena.games.packed_log import replay
from arena.service.live.dispatch import send_review
from arena.store.matches.matches import StoredMatch
from arena.store.reviews import requests
from arena.value.review import Chance, Judged, Option, PhaseTotals
from arena.value.review.model import FaultMove
from arena.value.review.payload import payload
from arena.value.review.situation import Situation
from arena.value.review.summary import summary
from arena.value.review.values import reviewer
from dashboard.account.guard import limited, who
from dashboard.api.answer import answers
from dashboard.api.shape import Many, Shape
from dashboard.matches.detail.view import open_match
from dashboard.matches.shown import shown
from dashboard.sources import sources
from dashboard.system import errors

page = Blueprint("review", __name__)

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


@page.post("/matches/<match:match>/review")
@limited("20 per minute", "200 per hour")
def ask(match: str) -> ResponseReturnValue:
    try:
        request_review(shown().match(match))
    except NotNow as error:
        return errors.answer(409, str(error))
    except LimitReached as error:
        return errors.answer(429, str(error))
    move = request.form.get("move", "")
    place = move if move.isascii() and move.isdigit() else None
    return redirect(url_for("replay.show", match=match, move=place, _anchor="review"), 303)


def request_review(stored: StoredMatch) -> None:
    """Requests the review of a match for the visitor. Raises NotNow, LimitReached."""
    with sources().store.write() as conn:
        new = requests.ask(conn, stored, reviewer().name, _whom(), instant.now())
    if new:
        try:
            send_review(sources().settings.redis_url)
        except Unavailable:  # the sweep will send it
            current_app.logger.info("the review will start with the next sweep")


@page.get("/api/matches/<match:match>/review")
@answers(REVIEW, refuses=(409,))
def as_json(match: str) -> dict[str, Any]:
    """The match's review: the value of each decision, given what its seat knew.

    `state` is "none" until the review is requested on the replay's page, then "waiting", "done"
    or "failed".
    """
    stored, found = open_match(match), shown().review(match)
    about: dict[str, Any] = {"state": "none", "ahead": 0, "starts_s": None, "note": ""}
    if found is not None:
        about = {name: getattr(found, name) for name in about}
    about["summary"] = ""
    made: dict[str, Any] = {
        "reviewer": reviewer().name,
        "decisions": [],
        "seats": [],
        "chances": [],
        "faults": [],
    }
    if found is not None and found.review is not None:
        whole = payload(found.review)
        made = {key: whole[key] for key in made}
        about["summary"] = summary(found.review, replay(stored.setup, stored.log))
    return REVIEW.tell(match=stored.id, **about, **made)


@page.get("/help/reviews")
def explained() -> str:
    return render_template("matches/replay/review/help.html")


def _whom() -> str:
    """A keyed hash of the requester, for the limit of waiting reviews; no address is stored."""
    key = str(current_app.secret_key).encode()
    return hashlib.blake2b(who().encode(), key=key[:64], digest_size=12).hexdigest()

"""Requesting the review of a match, and the review as JSON. Sealed matches have none."""

from __future__ import annotations

import hashlib
from typing import Any

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.base import instant
from arena.base.errors import LimitReached, NotNow, Unavailable
from arena.service.live.dispatch import send_review
from arena.store.matches.matches import StoredMatch
from arena.store.reviews import requests
from arena.value.review.values import reviewer
from dashboard.account.guard import limited, who
from dashboard.api.answer import answers
from dashboard.matches.detail.view import LOCKED
from dashboard.matches.replay.review.described import REVIEW
from dashboard.matches.replay.review.shown import review_json
from dashboard.matches.shown import shown
from dashboard.sources import sources
from dashboard.system import errors

page = Blueprint("review", __name__)


@page.post("/matches/<match:match>/review")
@limited("20 per minute", "200 per hour")
def ask(match: str) -> ResponseReturnValue:
    """Requests the review and redirects to the replay."""
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
    stored = shown().match(match)
    if stored.locked:
        raise NotNow(LOCKED)
    return review_json(stored, shown().review(match))


@page.get("/help/reviews")
def explained() -> str:
    """Shows what the numbers of a review mean."""
    return render_template("matches/replay/review/help.html")


def _whom() -> str:
    """A keyed hash of the requester, for the limit of waiting reviews; no address is stored."""
    key = str(current_app.secret_key).encode()
    return hashlib.blake2b(who().encode(), key=key[:64], digest_size=12).hexdigest()

"""A review in the forms that pages need: by decision, as a list of mistakes, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arena.games.packed_log import replay
from arena.store.matches.matches import StoredMatch
from arena.store.reviews.reading import MatchReview
from arena.value.review import Judged, Review, SeatReview
from arena.value.review.payload import payload
from arena.value.review.summary import summary
from arena.value.review.values import reviewer
from dashboard.matches.replay.review.described import REVIEW
from dashboard.matches.replay.states import State

# From chess notation.
GLYPHS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
LEAST = 0.01  # expected score; smaller losses have no phase


def with_review(states: Sequence[State], review: Review | None) -> list[State]:
    """The states with the review's judgements, where the legal actions are visible: a judgement
    contains all of them."""
    by_number = {each.number: each for each in review.decisions} if review else {}
    return [
        replace(state, judged=by_number.get(state.move.number))
        if state.move and state.offered is not None
        else state
        for state in states
    ]


def mistakes(review: Review, eyes: int | None) -> list[Judged]:
    """The visible decisions with a verdict, in order."""
    return [each for each in review.decisions if each.verdict and eyes in (None, each.seat)]


def next_after(found: Sequence[Judged], move: int) -> int:
    """The number of the first of these decisions after a move, or else of the first one."""
    return next((each.number for each in found if each.number > move), found[0].number)


def seen_seats(seats: Sequence[SeatReview], eyes: int | None) -> list[tuple[int, SeatReview]]:
    """The visible seats, with their numbers."""
    return [(number, seat) for number, seat in enumerate(seats) if eyes in (None, number)]


def most_lost(seat: SeatReview) -> str:
    """The phase in which a seat lost most; empty if it lost next to nothing."""
    lost = {phase: totals.lost for phase, totals in seat.phases.items()}
    most = max(lost, key=lambda phase: lost[phase], default="")
    return most if most and lost[most] >= LEAST else ""


def review_json(stored: StoredMatch, found: MatchReview | None) -> dict[str, Any]:
    """The review of a match as JSON."""
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

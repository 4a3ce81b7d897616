"""The replay of a match, as a page and as JSON. Sealed matches have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, jsonify, render_template, url_for

from arena.base.errors import ArenaError, NotFound, NotNow
from arena.games.match import Match
from arena.games.packed_log import replay
from arena.games.record import export, verify
from arena.games.replay import restarted
from arena.games.rules.shuffles import commitment
from arena.service.live.queues import REVIEW
from arena.store.matches.matches import StoredMatch
from arena.store.reviews.reading import MatchReview
from arena.store.tournaments.daily import why_sealed
from arena.value.review.faults import not_judged, of_seat
from arena.value.review.model import THRESHOLDS
from arena.value.review.situation import PHASES
from arena.value.review.summary import summary
from arena.value.review.values import reviewer
from dashboard.api.answer import answers
from dashboard.matches.detail.sheet import RoundSheet, in_words, sheet
from dashboard.matches.detail.view import open_match
from dashboard.matches.replay import drawing
from dashboard.matches.replay.chart import mark, points_chart
from dashboard.matches.replay.course import Course, ReplayPosition
from dashboard.matches.replay.review.shown import (
    GLYPHS,
    luckiest,
    mistakes,
    most_lost,
    next_after,
    review_chart,
    seen_seats,
    with_review,
)
from dashboard.matches.replay.states import State, states, with_notes
from dashboard.matches.shown import shown
from dashboard.sources import sources
from dashboard.table.texts import goal, lesson, symbols
from dashboard.urls import requested_number

page = Blueprint("replay", __name__)
for of_state in (drawing.card_in_words, drawing.describe, in_words, drawing.lifted):
    page.add_app_template_filter(of_state)
for of_review in (luckiest, mistakes, most_lost, next_after, seen_seats, summary):
    page.add_app_template_filter(of_review)
for of_faults in (not_judged, of_seat):
    page.add_app_template_filter(of_faults)
for drawn in (goal, lesson, mark, points_chart, review_chart, symbols):
    page.add_app_template_global(drawn)
page.add_app_template_global(lambda: reviewer().name, "reviewer_name")
WORDS = {"GLYPHS": GLYPHS, "PHASES": PHASES, "THRESHOLDS": THRESHOLDS}
page.record_once(lambda state: state.app.jinja_env.globals.update(WORDS))


@dataclass(frozen=True)
class ReplayQuery:
    """A request for a replay."""

    match: Match
    sheets: Sequence[RoundSheet]
    course: Course
    eyes: int | None  # a seat, or None to see all

    @classmethod
    def of(cls, stored: StoredMatch, eyes: int | None) -> ReplayQuery:
        """Replays the match. Raises NotFound for a seat that does not exist."""
        reasons = {note.number: note.reason for note in stored.notes}
        match = replay(stored.setup, stored.log, reasons)
        if eyes is not None and eyes >= match.game.seats:
            raise NotFound(
                f"This match has no seat {eyes}. Choose one from 0 to {match.game.seats - 1}."
            )
        return cls(match, sheet(match), Course.of(match), eyes)

    @property
    def reasons(self) -> dict[int, str]:
        return {fault.number: fault.reason for fault in self.match.faults}

    def place(self) -> ReplayPosition:
        """The position in the request: `move` or `scored`. Raises InvalidRequest, NotFound."""
        scored = requested_number("scored", None, lowest=1)
        if scored is not None:
            return self.course.at_end_of(scored)
        return self.course.at_move(requested_number("move", 1, lowest=1) or 1)

    def address(self, place: ReplayPosition | None, eyes: int | None) -> str | None:
        """The URL of a position; None for None."""
        if place is None:
            return None
        parameters = self.course.query(place) | ({} if eyes is None else {"seat": eyes})
        return f"{url_for('replay.show', match=self.match.setup.id)}?{urlencode(parameters)}"


@page.get("/matches/<match:match>/replay")
def show(match: str) -> str:
    stored, tournament = shown().with_tournament(match)
    context: dict[str, Any] = {"match": stored, "tournament": tournament}
    if stored.locked:
        context |= {"options": {}, "sentence": why_sealed(tournament)}
        return render_template("matches/detail/locked.html", **context)
    query = ReplayQuery.of(stored, requested_number("seat", None))
    place, course = query.place(), query.course
    review = shown().review(match)
    shown_states = with_notes(_states(query, place.round, review), shown().notes(match), query.eyes)
    return render_template(
        "matches/replay/page.html",
        **context,
        query=query,
        place=place,
        states=shown_states,
        start=restarted(query.match.game).points,
        state=shown_states[place.done],
        first=query.address(ReplayPosition(1, 0), query.eyes),
        before=query.address(course.before(place), query.eyes),
        after=query.address(course.after(place), query.eyes),
        last=query.address(course.at_end_of(len(course.lengths)), query.eyes),
        objection=_objection(query.match),
        commitment=commitment(stored.id, stored.seed).hex(),
        reviewable=shown().reviewable,
        review=review,
        unattended=review is not None and review.state == "waiting" and unattended(),
    )


def _states(query: ReplayQuery, number: int, found: MatchReview | None) -> list[State]:
    made = found.review if found else None
    return with_review(states(query.match, query.sheets, number, query.eyes), made)


def unattended() -> bool:
    vitals = sources().reader.vitals()
    return vitals is not None and not vitals.workers.get(REVIEW)


def _objection(match: Match) -> str:
    """The error from verifying the record; normally empty."""
    try:
        verify(export(match))
    except ArenaError as error:
        return str(error)
    return ""


@page.get("/matches/<match:match>/replay/frames")
def parts(match: str) -> Response:
    """Returns the frames of a round for the page's script. Raises NotNow, InvalidRequest,
    NotFound."""
    stored, tournament = shown().with_tournament(match)
    if stored.locked:
        raise NotNow(why_sealed(tournament))
    query = ReplayQuery.of(stored, requested_number("seat", None))
    number = requested_number("round", 1, lowest=1) or 1
    query.course.at_end_of(number)  # NotFound for a round that was not played
    found = with_notes(
        _states(query, number, shown().review(match)), shown().notes(match), query.eyes
    )
    return jsonify(drawing.frames(found, query.eyes))


@page.get("/api/matches/<match:match>/replay")
@answers(drawing.REPLAY, query=(drawing.ROUND, drawing.SEAT, drawing.DRAWN), refuses=(409,))
def as_json(match: str, round: int, seat: int | None, drawn: int) -> dict[str, Any]:
    """The table at each move of a round, seen by all seats or by one."""
    stored = open_match(match)
    query = ReplayQuery.of(stored, seat)
    query.course.at_end_of(round)  # NotFound for a round that was not played
    told = _states(query, round, shown().review(match))
    return drawing.REPLAY.tell(
        match=stored.id,
        game=stored.game,
        seats=[each.bot for each in query.match.setup.seats],
        eyes=seat,
        round=round,
        rounds=len(query.course.lengths),
        without=() if drawn else ("pieces", "moves"),
        **drawing.serialize_states(told, seat, drawn=bool(drawn)),
    )

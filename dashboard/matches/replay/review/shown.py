"""A review in the forms that pages need: by decision, mistakes, luck, and the evaluation graph."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from markupsafe import Markup

from arena.value.luck import DEAL
from arena.value.review import Judged, Review, SeatReview
from dashboard.matches.detail.sheet import RoundSheet
from dashboard.matches.replay.chart import level, seat_line
from dashboard.matches.replay.course import Course
from dashboard.matches.replay.drawing import action_in_words
from dashboard.matches.replay.states import State, all_moves

# From chess notation.
GLYPHS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
LEAST = 0.01  # expected score; smaller losses have no phase, smaller luck is not listed
MOST = 8  # lucky events listed

# Of the graph.
WIDTH, HEIGHT = 900.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 48.0, 14.0, 12.0, 26.0  # replay.review.js repeats LEFT and RIGHT
MOST_LABELS = 14  # rounds


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
    return [each for each in review.decisions if each.verdict and eyes in (None, each.seat)]


def next_after(found: Sequence[Judged], move: int) -> int:
    """The number of the first of these decisions after a move, or else of the first one."""
    return next((each.number for each in found if each.number > move), found[0].number)


def seen_seats(seats: Sequence[SeatReview], eyes: int | None) -> list[tuple[int, SeatReview]]:
    return [(number, seat) for number, seat in enumerate(seats) if eyes in (None, number)]


def most_lost(seat: SeatReview) -> str:
    """The phase in which a seat lost most; empty if it lost next to nothing."""
    lost = {phase: totals.lost for phase, totals in seat.phases.items()}
    most = max(lost, key=lambda phase: lost[phase], default="")
    return most if most and lost[most] >= LEAST else ""


class Lucky(NamedTuple):
    """The luck of one seat in one event, in expected score."""

    number: int  # of the move
    seat: int
    words: str  # the outcome
    luck: float


def luckiest(review: Review, sheets: Sequence[RoundSheet], eyes: int | None) -> list[Lucky]:
    """The events with the most luck or bad luck, biggest first, optionally of one seat. A card or
    roll counts for the seat that got it, a deal for every seat."""
    moves = {move.number: move for sheet in sheets for move in all_moves(sheet)}
    found = [
        Lucky(
            each.number,
            seat,
            f"deal of round {each.round}"
            if each.kind == DEAL
            else action_in_words(moves[each.number]),
            each.luck[seat],
        )
        for each in review.chances
        for seat in (range(len(each.luck)) if each.seat is None else (each.seat,))
        if eyes in (None, seat) and abs(each.luck[seat]) >= LEAST
    ]
    return sorted(found, key=lambda one: -abs(one.luck))[:MOST]


def review_chart(review: Review, course: Course, names: Sequence[str], eyes: int | None) -> Markup:
    """The evaluation graph: the score that each seat, or only `eyes`, can expect after each of its
    decisions. Mistakes link to their moves."""
    seats = [seat for seat in range(len(names)) if eyes in (None, seat)]
    lines = [_line(seat, review.decisions, course.moves) for seat in seats]
    marks = [_mistake(each, course.moves, names) for each in mistakes(review, eyes)]
    return Markup(
        '<svg class="review-chart" viewBox="0 0 {w:.0f} {h:.0f}" role="group"'
        ' aria-label="Expected score of each seat by move; mistakes are listed below">'
        '{grid}<line class="here" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{base}"/>'
        "{lines}{marks}</svg>"
    ).format(
        w=WIDTH, h=HEIGHT, x=LEFT, top=TOP, base=HEIGHT - BOTTOM, grid=_grid(course),
        lines=Markup("").join(lines), marks=Markup("").join(marks),
    )  # fmt: skip


def _across(number: int, moves: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (number - 1) / max(moves, 1)


def _up(score: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(1.0, max(0.0, score))


def _line(seat: int, decisions: Sequence[Judged], moves: int) -> Markup:
    places = [
        (_across(each.number, moves), _up(each.score)) for each in decisions if each.seat == seat
    ]
    return seat_line(seat, places, places[-1:]) if places else Markup("")


def _mistake(each: Judged, moves: int, names: Sequence[str]) -> Markup:
    words = f"Move {each.number}: {each.verdict} by {names[each.seat]}, {each.chosen}"
    return Markup(
        '<a href="?move={number}" data-key="move-{number}" class="{kind}" aria-label="{words}">'
        '<title>{words}</title><circle r="9" cx="{x:.1f}" cy="{y:.1f}"/>'
        '<text x="{x:.1f}" y="{text:.1f}">{glyph}</text></a>'
    ).format(
        number=each.number, kind=each.verdict, words=words, glyph=GLYPHS[each.verdict],
        x=_across(each.number, moves), y=_up(each.score), text=_up(each.score) + 4,
    )  # fmt: skip


def _grid(course: Course) -> Markup:
    parts = []
    for percent in (0, 25, 50, 75, 100):
        kind, y = "limit" if percent == 50 else "grid", _up(percent / 100)
        parts.append(level(kind, LEFT, WIDTH - RIGHT, y, LEFT - 6, f"{percent}%"))
    step = -(-len(course.firsts) // MOST_LABELS)
    for number, first in enumerate(course.firsts, 1):
        x = _across(first, course.moves)
        if number > 1:
            parts.append(
                Markup('<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{}" y2="{}"/>').format(
                    TOP, HEIGHT - BOTTOM, x=x
                )
            )
        if (number - 1) % step == 0:
            parts.append(
                Markup('<text class="round" x="{:.1f}" y="{}">R{}</text>').format(
                    x + 3, HEIGHT - 8, number
                )
            )
    return Markup("").join(parts)

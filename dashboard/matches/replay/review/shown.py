"""A review in the forms that pages need: by decision, mistakes and luck."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from arena.value.luck import DEAL
from arena.value.review import Chance, Judged, Review, SeatReview
from dashboard.matches.detail.sheet import RoundSheet
from dashboard.matches.replay.drawing import action_in_words
from dashboard.matches.replay.states import State, all_moves

# From chess notation.
GLYPHS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
LEAST = 0.01  # expected score; smaller losses have no phase, smaller luck is not listed
MOST = 8  # lucky events listed


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


class Lucky(NamedTuple):
    """The luck of one seat in one event, in expected score."""

    number: int  # of the move
    seat: int
    words: str  # the outcome
    luck: float


def luckiest(review: Review, sheets: Sequence[RoundSheet], eyes: int | None) -> list[Lucky]:
    """The events with the most luck or bad luck, biggest first, optionally of one seat.

    A card or roll counts for the seat that got it, a deal for every seat.
    """
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
        for seat in _seats(each)
        if eyes in (None, seat) and abs(each.luck[seat]) >= LEAST
    ]
    return sorted(found, key=lambda one: -abs(one.luck))[:MOST]


def _seats(each: Chance) -> Sequence[int]:
    return range(len(each.luck)) if each.seat is None else (each.seat,)

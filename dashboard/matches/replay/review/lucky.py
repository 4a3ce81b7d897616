"""The luckiest and unluckiest cards, deals and rolls of a match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.value.luck import DEAL
from arena.value.review import Chance, Review
from dashboard.matches.detail.sheet import RoundSheet
from dashboard.matches.replay.descriptions import action_in_words
from dashboard.matches.replay.states import all_moves

MOST = 8  # events listed
LEAST = 0.01  # expected score; smaller events are not listed


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

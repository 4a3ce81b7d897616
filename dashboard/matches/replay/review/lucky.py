"""The cards, deals and rolls of a match that gave or took most, as its review lists them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.value.luck import DEAL
from arena.value.review import Chance, Review
from dashboard.matches.detail.sheet import RoundSheet
from dashboard.matches.replay.descriptions import action_in_words
from dashboard.matches.replay.states import all_moves

MOST = 8  # that are listed
LEAST = 0.01  # of expected score: less is not worth a line


class Lucky(NamedTuple):
    """What chance gave one seat by one event, as a part of the expected score."""

    number: int  # of the move
    seat: int
    words: str  # what came
    luck: float


def luckiest(review: Review, sheets: Sequence[RoundSheet], eyes: int | None) -> list[Lucky]:
    """Those that gave or took most, the biggest first: each card or roll for whoever got it, each
    deal for every seat. Through a seat's eyes only its own."""
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

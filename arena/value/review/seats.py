"""Totals of judged decisions for each seat."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from arena.value.review.model import Judged, PhaseTotals, SeatReview
from arena.value.review.phases import PHASES
from arena.value.review.verdicts import NAMES


def by_seat(decisions: Iterable[Judged], seats: int) -> tuple[SeatReview, ...]:
    """Return the review of each seat."""
    own: list[list[Judged]] = [[] for _ in range(seats)]
    for each in decisions:
        own[each.seat].append(each)
    return tuple([seat_review(each) for each in own])


def seat_review(decisions: Sequence[Judged]) -> SeatReview:
    """Return the totals of one seat's decisions."""
    return SeatReview(
        decisions=len(decisions),
        lost=sum(each.loss for each in decisions),
        error=math.sqrt(sum(each.error**2 for each in decisions)),
        stake=sum(each.stake for each in decisions),
        verdicts={name: sum(each.verdict == name for each in decisions) for name in NAMES},
        phases={
            phase: _totals([each for each in decisions if each.phase == phase])
            for phase in PHASES
            if any(each.phase == phase for each in decisions)
        },
    )


def _totals(decisions: Sequence[Judged]) -> PhaseTotals:
    return PhaseTotals(
        len(decisions),
        sum(each.loss for each in decisions),
        sum(each.stake for each in decisions),
    )

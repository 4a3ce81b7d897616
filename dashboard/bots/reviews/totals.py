"""The totals over all reviewed matches of a bot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from arena.store.reviews.reading import BotMatch
from arena.value.review import PhaseTotals
from arena.value.review.model import accuracy


class Totals(NamedTuple):
    """Totals over matches; `phases` with the score lost in each, largest loss first."""

    decisions: int
    lost: float
    accuracy: float | None
    phases: list[tuple[str, PhaseTotals]]
    faults: int
    forfeits: int


def totals(matches: Sequence[BotMatch]) -> Totals:
    """Return the totals, in which matches are weighted by the score at stake."""
    by_phase: dict[str, list[PhaseTotals]] = defaultdict(list)
    for match in matches:
        for phase, each in match.phases.items():
            by_phase[phase].append(each)
    phases = [(phase, _sum(each)) for phase, each in by_phase.items()]
    lost = sum(match.lost for match in matches)
    return Totals(
        sum(match.decisions for match in matches),
        lost,
        accuracy(lost, sum(match.stake for match in matches)),
        sorted(phases, key=lambda each: -each[1].lost),
        sum(match.faults or 0 for match in matches),
        sum(bool(match.forfeited) for match in matches),
    )


def _sum(each: Sequence[PhaseTotals]) -> PhaseTotals:
    return PhaseTotals(
        sum(one.decisions for one in each), sum(one.lost for one in each),
        sum(one.stake for one in each),
    )  # fmt: skip

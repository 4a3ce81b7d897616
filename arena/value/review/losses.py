"""From the values of a decision's actions to what the choice lost.

The best of several measured values is on average measured too high. So there are two independent
samples: each says which action is best, and the other what the choice loses against that one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from arena.value.review.values import Values

CLOSE: Final = 2.0  # standard errors; another sample may well prefer what is nearer

Halves = tuple[Values, Values]


class Loss(NamedTuple):
    """What a choice lost, with its standard error, and what the worst one would have."""

    loss: float
    error: float
    stake: float


class _Part(NamedTuple):
    """The same by one sample, with the variances of the loss."""

    loss: float
    sampling: float
    doubt: float  # from the error of end values, which both samples share
    stake: float


def loss_of(halves: Halves, chosen: int, rivals: Collection[int] | None = None) -> Loss:
    """The loss of the action at this place among the legal ones, to which the errors in `halves`
    refer. Only `rivals` can be better; by default all."""
    one, other = halves
    places = range(len(one.scores)) if rivals is None else sorted({chosen, *rivals})
    parts = [_against(one, other, chosen, places), _against(other, one, chosen, places)]
    sampling = sum(part.sampling for part in parts) / 4
    doubt = max(0.0, sum(part.doubt for part in parts) / 2)
    return Loss(
        loss=sum(part.loss for part in parts) / 2,
        error=math.sqrt(sampling + doubt),
        stake=max(0.0, sum(part.stake for part in parts) / 2),
    )


def _against(judge: Values, measure: Values, chosen: int, rivals: Sequence[int]) -> _Part:
    """By the measure, what is lost against the action that is best to the judge."""
    best = max(rivals, key=lambda place: judge.scores[place])
    worst = judge.scores.index(min(judge.scores))
    error = measure.apart[best] if best != chosen else _error_of_best(judge, chosen)
    return _Part(
        loss=measure.scores[best] - measure.scores[chosen],
        sampling=error**2,
        doubt=measure.doubts_apart[best],
        stake=measure.scores[best] - measure.scores[worst],
    )


def _error_of_best(judge: Values, chosen: int) -> float:
    """How uncertain it is that the chosen action loses nothing, where it is the best to the judge:
    by half the error of the nearest other one, where that is less than two errors behind."""
    behind = [judge.scores[chosen] - score for score in judge.scores]
    others = [place for place in range(len(behind)) if place != chosen]
    near = min(others, key=lambda place: behind[place], default=chosen)
    error = judge.apart[near]
    return error / 2 if behind[near] < CLOSE * error else 0.0

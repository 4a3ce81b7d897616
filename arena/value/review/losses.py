"""The loss of a choice, from the values of a decision's actions.

The highest of several measured values is too high on average. So there are two independent samples.
Each picks the best action, and the other one measures the loss against it.
"""

import math
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from arena.value.review.values import Values

CLOSE: Final = 2.0  # standard errors; another sample may prefer an action within this distance

Halves = tuple[Values, Values]


class Loss(NamedTuple):
    """The loss of a choice, its standard error, and the loss of the worst choice."""

    loss: float
    error: float
    stake: float


class _Part(NamedTuple):
    """The loss and stake by one sample, with variances of the loss."""

    loss: float
    sampling: float
    doubt: float  # from the error of end values, which both samples share
    stake: float


def loss_of(halves: Halves, chosen: int, rivals: Collection[int] | None = None) -> Loss:
    """Return the loss of the action at this place, the reference of `halves`. Only `rivals` can be
    better; None means all actions."""
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
    """Measure the loss against the best action by `judge`, with the values of `measure`."""
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
    """Return the error of a loss of 0, if the chosen action is the best by `judge`. It is half the
    error of the closest other action, or 0 if that is at least CLOSE errors behind."""
    behind = [judge.scores[chosen] - score for score in judge.scores]
    others = [place for place in range(len(behind)) if place != chosen]
    near = min(others, key=lambda place: behind[place], default=chosen)
    error = judge.apart[near]
    return error / 2 if behind[near] < CLOSE * error else 0.0

"""From the values of a decision's actions to what the choice lost.

The best of several measured values is on average measured too high. So there are two independent
samples: each says which action is best, and the other what the choice loses against that one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from arena.value.review.values import Values

CLOSE: Final = 2.0  # standard errors; another sample may well prefer what is nearer


class Loss(NamedTuple):
    """What a choice lost, with its standard error, and what the worst one would have."""

    loss: float
    error: float
    stake: float


def loss_of(halves: tuple[Values, Values], chosen: int) -> Loss:
    """The loss of the action at this place among the legal ones."""
    one, other = halves
    parts = [_against(one, other, chosen), _against(other, one, chosen)]
    return Loss(
        loss=sum(part.loss for part in parts) / 2,
        error=math.hypot(*(part.error for part in parts)) / 2,
        stake=max(0.0, sum(part.stake for part in parts) / 2),
    )


def _against(judge: Values, measure: Values, chosen: int) -> Loss:
    """By the measure, what is lost against the action that is best to the judge."""
    best, worst = _place(judge, max), _place(judge, min)
    return Loss(
        loss=measure.scores[best] - measure.scores[chosen],
        error=measure.error_between(best, chosen) or _error_of_best(judge),
        stake=measure.scores[best] - measure.scores[worst],
    )


def _error_of_best(judge: Values) -> float:
    """How uncertain it is that the chosen action loses nothing, where it is the best to the judge:
    by half the error of the nearest other one, where that is less than two errors behind."""
    best = max(judge.scores)
    others = [place for place, score in enumerate(judge.scores) if score < best]
    near = min(others, key=lambda place: best - judge.scores[place], default=None)
    if near is None or best - judge.scores[near] >= CLOSE * judge.behind[near]:
        return 0.0
    return judge.behind[near] / 2


def _place(values: Values, of: Callable[[tuple[float, ...]], float]) -> int:
    return values.scores.index(of(values.scores))

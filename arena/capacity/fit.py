"""Costs of a message and of a decision, from measurements with messages of different sizes.

CPU time per decision = cost of a decision + cost of a message / decisions in a message: a straight
line in messages per decision, fitted by least squares of relative errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.base.errors import InvalidRequest
from arena.capacity.costs import StationCost


@dataclass(frozen=True)
class Sample:
    """What a part of the arena needed for so many decisions in so many messages: CPU seconds."""

    decisions: int
    messages: int
    cpu_s: float


def fitted(samples: Sequence[Sample]) -> StationCost:
    """The costs that fit best; neither is negative. Raises InvalidRequest unless messages were of
    different sizes."""
    sizes = {round(each.messages / each.decisions, 6) for each in samples if each.decisions}
    if len(sizes) < 2:
        raise InvalidRequest(
            "Costs of messages need measurements with messages of different sizes: measure with "
            "few and with many bots (arena bench growth --part bots)."
        )
    share = np.array([each.messages / each.decisions for each in samples])
    taken = np.array([1e6 * each.cpu_s / each.decisions for each in samples])
    columns = np.stack([share, np.ones(len(share))], axis=1) / taken[:, None]
    (message, decision), *_ = np.linalg.lstsq(columns, np.ones(len(taken)), rcond=None)
    if message < 0:
        return StationCost(0.0, 1 / float(np.mean(1 / taken)))
    if decision < 0:
        return StationCost(float((share / taken).sum() / ((share / taken) ** 2).sum()), 0.0)
    return StationCost(float(message), float(decision))

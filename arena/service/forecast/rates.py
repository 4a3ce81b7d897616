"""The speed of a bot, from the gateways' measurements (`arena.service.live.paces`).

The answer time may grow with the load, the number of decisions that a bot holds. It is constant for
a bot that works on all in parallel, proportional to the load for a bot that answers sequentially,
and in between if each message has a cost. So it is extrapolated linearly from its growth
between the highest measured load and the next lower one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from arena.service.live.answer_rates import AnswerCounts, Loads

FEWEST = 10  # the least number of answers at a load to use it
APART = 1.4  # the least ratio of two loads that are compared
# The seconds that a message costs a bot in Python. With few matches in flight, nearly every
# decision has its own message; with many, dozens share one.
MESSAGE_S = 0.002
# Relative to the growth of a sequential bot, a growth below NONE counts as 0,
# and one above ALL as 1.
NONE, ALL = 0.15, 0.85


@dataclass(frozen=True, slots=True)
class Rate:
    """The speed of a bot."""

    per_second: float  # decisions, if it holds as many as it accepts
    seconds: float  # for a decision, if it holds few
    held: float = inf  # the highest measured load


def rate(loads: Loads, limit: int) -> Rate | None:
    """The speed of a bot that accepts `limit` decisions at once; None without enough answers."""
    telling = [load for _, load in sorted(loads.items()) if load.answers >= FEWEST and load.seconds]
    if not telling:
        return None
    top = telling[-1]
    more = max(limit - _held(top), 0.0)
    each = max(_grows(telling) - MESSAGE_S, 0.0)
    return Rate(
        per_second=(_held(top) + more) / (_takes(top) + more * each),
        seconds=_takes(telling[0]),
        held=_held(top),
    )


def _grows(loads: list[AnswerCounts]) -> float:
    """The seconds by which the answer time grows with each additional decision. If only one load
    was measured, assumes a sequential bot."""
    top = loads[-1]
    in_turn = _takes(top) / _held(top)
    lower = [load for load in loads if _held(load) * APART <= _held(top)]
    if not lower:
        return in_turn
    grown = _takes(top) / _takes(lower[-1]) - 1
    share = grown / (_held(top) / _held(lower[-1]) - 1)
    if share < NONE:
        return 0.0
    if share > ALL:
        return in_turn
    return (_takes(top) - _takes(lower[-1])) / (_held(top) - _held(lower[-1]))


def _held(load: AnswerCounts) -> float:
    """The mean number of decisions held."""
    return load.held / load.seconds


def _takes(load: AnswerCounts) -> float:
    """The mean answer time in seconds (Little's law)."""
    return load.held / load.answers

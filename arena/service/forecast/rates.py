"""What a bot can do, from what gateways counted (`arena.service.live.paces`).

The more questions a bot holds, the longer it takes to answer one: not at all longer, if it thinks
about all side by side; twice as long with twice as many, if it answers one after the other; and in
between, if each message costs it something. So the time is taken to grow evenly with the load, by
what it grew between the highest load that was seen and the next lower one. The limit alone does not
tell this, and neither does the mean time to answer, which holds for whatever the load was.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from arena.service.live.answer_rates import AnswerCounts, Loads

FEWEST = 10  # answers at a load, before it tells anything
APART = 1.4  # two loads that are compared are so many times one another, at least
# What a message costs a bot in Python, seconds. Where few matches are in flight nearly each
# question comes with one of its own; where there are many, dozens share one.
MESSAGE_S = 0.002
# Of what the time would grow by if all were answered one after the other: less than this share is
# noise, and so is what is missing where it is more than that.
NONE, ALL = 0.15, 0.85


@dataclass(frozen=True, slots=True)
class Rate:
    """So many questions a second when a bot holds as many as it takes; in so many seconds one, when
    it holds few. `held` is the highest load that was seen."""

    per_second: float
    seconds: float
    held: float = inf


def rate(loads: Loads, limit: int) -> Rate | None:
    """What a bot that takes so many questions at once can do; None where too few were counted."""
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
    """By how many seconds the time for an answer grows with each question more that is held. Where
    only one load was seen, as if it answered one after the other."""
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
    """Questions held, on average."""
    return load.held / load.seconds


def _takes(load: AnswerCounts) -> float:
    """Seconds for an answer: as many are held as come in that time."""
    return load.held / load.answers

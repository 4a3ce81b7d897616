"""The bots of a tournament with their numbers of matches and their speed.

The speed follows from the gateways' measurements (`arena.service.live.paces`). The answer time may
grow with the load, the number of decisions that a bot holds. It is constant for a bot that works on
all in parallel, proportional to the load for a bot that answers sequentially, and in between if
each message has a cost. So it is extrapolated linearly from its growth between the highest measured
load and the next lower one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from arena.service.forecast import typical
from arena.service.forecast.measured import Answers, LivePace, Measured, PlannedLoad
from arena.service.live.player_presence import AnswerCounts, Loads

LIGHT = 2.0  # a bot that never held more decisions had no queue
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


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot with its workload and speed."""

    player: int
    bot: str
    matches: float
    questions: float  # its decisions in a match
    can: Rate | None  # its speed; None if it was never measured
    at_once: int  # decisions that it accepts at a time, now or when it was last connected

    @property
    def seconds(self) -> float:
        """The time that it needs for all its decisions."""
        return self.matches * self.questions / self.can.per_second if self.can else 0.0

    @property
    def in_a_match(self) -> float:
        """The time that it needs in a single match, in seconds."""
        return self.questions * self.can.seconds if self.can else 0.0


def entrants(
    plan: PlannedLoad, measured: Measured, live: LivePace, played: Mapping[int, int]
) -> list[Entrant]:
    """The bots with matches in the plan. `played` maps players to their finished matches: the more
    of its share a player has finished, the fewer matches of the plan it has."""
    matches = _matches(plan, measured, played)
    return [
        Entrant(player, bot, count, measured.decisions_of(player), *ability(measured, live, player))
        for (player, bot), count in zip(measured.of, matches, strict=True)
        if count
    ]


def _matches(plan: PlannedLoad, measured: Measured, played: Mapping[int, int]) -> Sequence[float]:
    if not played:
        return [plan.matches * share for share in plan.shares]
    whole = plan.matches + sum(played.values()) / measured.seats
    left = [
        max(whole * share - played.get(player, 0), 0.0)
        for share, (player, _) in zip(plan.shares, measured.of, strict=True)
    ]
    seats = plan.matches * measured.seats / max(sum(left), 1e-9)
    return [min(seats * one, float(plan.matches)) for one in left]


def ability(measured: Measured, live: LivePace, player: int) -> tuple[Rate | None, int]:
    """A player's speed in the game, and the number of decisions that it accepts at once.

    The best source is the gateways' measurement in this game. The next is its mean answer time,
    assuming that it always held as many decisions as it accepts. The last is its measurement in
    other games.
    """
    here, pace = live.here.get(player), live.paces.get(player)
    known = here or pace
    at_once = known.max_in_flight if known else typical.AT_ONCE
    by_game = pace.by_game if pace else {}
    own, answers = rate(by_game.get(measured.game, {}), at_once), measured.answers.get(player)
    if own is not None:
        return (_never_busy(own, answers, at_once) if answers else own), at_once
    if answers is not None:
        seconds = max(answers.mean_us, 1.0) / 1e6
        return Rate(at_once / seconds, seconds), at_once
    others = [known_rate for loads in by_game.values() if (known_rate := rate(loads, at_once))]
    return min(others, key=lambda one: one.per_second, default=None), at_once


def _never_busy(own: Rate, answers: Answers, at_once: int) -> Rate:
    """Corrects the speed of a bot that never held many decisions, so it was not the bottleneck. Its
    mean answer time includes waits for the processor, the network or other bots on the same
    connection. The median does not."""
    if own.held > LIGHT or 2 * own.held >= at_once:
        return own
    service_s = max(answers.p50_us, 1) / 1e6
    return replace(own, per_second=max(own.per_second, 1 / service_s))


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
    return load.held / load.seconds


def _takes(load: AnswerCounts) -> float:
    """The mean answer time in seconds (Little's law)."""
    return load.held / load.answers

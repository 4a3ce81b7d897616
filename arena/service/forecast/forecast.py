"""The forecast: the longest of three times.

    the arena   matches / matches per second, plus a surcharge for the end of each block
    a bot       matches x its share x decisions in a match / decisions that it answers per second
    a match     matches x time of one / matches in flight; at least the longest of each block

All three run in parallel, so the longest counts. Only at the end of each block, the times of bots
and arena for the last decisions add up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from arena.service.forecast import typical
from arena.service.forecast.entrants import Entrant, entrants
from arena.service.forecast.measured import LivePace, Measured, PlannedLoad
from arena.service.forecast.speed import MeasuredRate, Speed, of_same_bots, speed

SHORTER = 0.9  # of the whole time: a longer alternative is not shown
EXPLAINED = 0.5  # the least share of the measured time that the bots' speed must explain


@dataclass(frozen=True, slots=True)
class Slow:
    """The speed of a bot."""

    bot: str
    seconds: float  # for all its decisions
    per_second: float  # decisions
    p50_us: int | None  # median answer time in microseconds; None if unknown
    at_once: int  # decisions that it accepts at a time


@dataclass(frozen=True)
class Forecast:
    """The expected duration of a number of matches, and its causes."""

    matches: int
    seconds: float
    alone: float  # seconds that the arena would need without waiting for bots
    speed: Speed
    slowest: Slow | None = None  # None if no bot was ever measured
    without_slowest: float = 0.0  # seconds without waiting for it
    unmeasured: tuple[str, ...] = ()  # bots that are left out of the forecast
    away: tuple[str, ...] = ()  # disconnected bots, with their last known speed
    likely: int | None = None  # matches likely to be played if results end it; None if unknown
    rate: MeasuredRate | None = None  # of the same bots before; `seconds` uses it if known
    blames: bool = True  # whether the slowest bot explains most of the time

    @property
    def likely_seconds(self) -> float | None:
        """The duration of the matches that are likely to be played."""
        if self.likely is None or not self.matches:
            return None
        return self.seconds * min(self.likely / self.matches, 1.0)

    @property
    def waits(self) -> bool:
        """Whether waiting for bots makes the tournament longer."""
        return self.blames and self.slowest is not None and self.seconds > self.alone

    @property
    def alternative(self) -> float | None:
        """The seconds without waiting for the slowest bot; None unless that is clearly shorter."""
        shorter = self.waits and self.without_slowest <= SHORTER * self.seconds
        return self.without_slowest if shorter else None

    def taking(self, seconds: float) -> Forecast:
        """Returns the forecast with measured `seconds`. Assumes the same relative error for the
        time without the slowest bot."""
        ratio = seconds / max(self.seconds, 1e-9)
        return replace(
            self,
            seconds=seconds,
            without_slowest=self.without_slowest * ratio,
            blames=self.blames and self.seconds >= EXPLAINED * seconds,
        )


def forecast(
    plan: PlannedLoad,
    measured: Measured,
    live: LivePace,
    in_flight: int,
    played: Mapping[int, int] | None = None,
) -> Forecast:
    """Forecasts the matches of `plan`, if each worker has `in_flight` matches in flight. For
    `played` see `entrants`."""
    field = entrants(plan, measured, live, played or {})
    expected = _modelled(plan, measured, live, in_flight, field)
    rate = of_same_bots(measured, live, field, plan.matches)
    if rate is None or not plan.matches:
        return expected
    return replace(expected.taking(rate.seconds(plan.matches, plan.blocks)), rate=rate)


def _modelled(
    plan: PlannedLoad,
    measured: Measured,
    live: LivePace,
    in_flight: int,
    field: Sequence[Entrant],
) -> Forecast:
    """The forecast from the speed of each bot and of the arena."""
    arena_speed, most = speed(measured, live), in_flight * live.workers
    by_need = sorted((one for one in field if one.can), key=lambda one: -one.seconds)
    others = [replace(one, can=None) if one in by_need[:1] else one for one in field]
    alone = arena_speed.seconds(plan.matches, plan.blocks) if plan.matches else 0.0
    ends = arena_speed.seconds(0, plan.blocks)
    return Forecast(
        matches=plan.matches,
        seconds=max(alone, _waiting(plan, field, most, ends)),
        alone=alone,
        speed=arena_speed,
        slowest=_slow(by_need[0], measured) if by_need else None,
        without_slowest=max(alone, _waiting(plan, others, most, ends)),
        unmeasured=tuple(one.bot for one in field if not one.can),
        away=tuple(one.bot for one in by_need if live.known and one.player not in live.here),
    )


def slow(plan: PlannedLoad, measured: Measured, live: LivePace, player: int) -> Slow | None:
    """The speed of a player; None if it was never measured."""
    found = [one for one in entrants(plan, measured, live, {}) if one.player == player and one.can]
    return _slow(found[0], measured) if found else None


def _slow(one: Entrant, measured: Measured) -> Slow:
    assert one.can is not None
    answers = measured.answers.get(one.player)
    half = answers.p50_us if answers else None
    return Slow(one.bot, one.seconds, one.can.per_second, half, one.at_once)


def _waiting(plan: PlannedLoad, field: Sequence[Entrant], in_flight: int, ends: float) -> float:
    """The seconds for all matches if only waiting for bots counts, where the arena needs `ends`
    seconds for the ends of blocks; 0 if no bot was measured."""
    if not any(one.can for one in field):
        return 0.0
    seated = sum(one.matches for one in field)
    mean = sum(one.matches * one.in_a_match for one in field) / seated
    seats = seated / plan.matches
    longest = max(one.in_a_match for one in field) + (seats - 1) * mean
    for_one, for_matches = max(one.seconds for one in field), seated * mean / in_flight
    return max(
        max(for_one, for_matches) + plan.blocks * typical.AFTER * longest + ends,
        plan.blocks * typical.LONGEST * longest,
    )

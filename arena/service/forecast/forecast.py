"""The forecast: the longest of what has to be waited for.

    the arena   matches / matches a second, and as long as so many more for the end of each block
    a bot       matches x share x questions in a match / questions it answers a second
    a match     matches x time of one / matches in flight; at least the longest of each block

All three go on at the same time, so the longest counts. At the end of each block there is nothing
to do beside what is waited for: what bots and the arena need for the last questions adds up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from arena.service.forecast import typical
from arena.service.forecast.entrants import Entrant, entrants
from arena.service.forecast.measured import Measured
from arena.service.forecast.schedule import PlannedLoad
from arena.service.forecast.seen import LivePace
from arena.service.forecast.speed import MeasuredRate, Speed, of_same_bots, speed

SHORTER = 0.9  # of the whole time: an alternative that takes longer is not worth naming
EXPLAINED = 0.5  # of the measured time has to follow from how fast bots are


@dataclass(frozen=True, slots=True)
class Slow:
    """A bot and how long its questions take it, which are answered `per_second`: half of them
    within `p50_us` microseconds (None: unknown), `at_once` of them at a time."""

    bot: str
    seconds: float
    per_second: float
    p50_us: int | None
    at_once: int


@dataclass(frozen=True)
class Forecast:
    """So many matches take about so many seconds, of which the arena by itself needs `alone`.

    `slowest` is the bot that needs longest, None where none was ever measured; the others take
    `without_slowest` seconds. Of the `unmeasured` nothing is known, so nobody waits for them in
    this forecast; the `away` are not connected, and counted as they last were. So many matches are
    `likely` to be played if results end it; None where they do not, or too little is known. `rate`
    is what the same bots did before, on which `seconds` is based if it is known. It `blames` the
    slowest bot only if that explains most of the time.
    """

    matches: int
    seconds: float
    alone: float
    speed: Speed
    slowest: Slow | None = None
    without_slowest: float = 0.0
    unmeasured: tuple[str, ...] = ()
    away: tuple[str, ...] = ()
    likely: int | None = None
    rate: MeasuredRate | None = None
    blames: bool = True

    @property
    def likely_seconds(self) -> float | None:
        """How long the matches take that are likely to be played."""
        if self.likely is None or not self.matches:
            return None
        return self.seconds * min(self.likely / self.matches, 1.0)

    @property
    def waits(self) -> bool:
        """Whether all wait for bots, so that it takes longer than the arena would."""
        return self.blames and self.slowest is not None and self.seconds > self.alone

    @property
    def alternative(self) -> float | None:
        """Seconds without waiting for the slowest bot; None unless that is clearly shorter."""
        shorter = self.waits and self.without_slowest <= SHORTER * self.seconds
        return self.without_slowest if shorter else None

    def taking(self, seconds: float) -> Forecast:
        """The same forecast, where `seconds` are measured. The time without the slowest bot has the
        same relative error. A bot is blamed only if its speed explains most of these seconds."""
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
    """How long the matches of `plan` take, of which each worker keeps so many `in_flight`; for
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
    """What follows from how fast each bot and the arena are."""
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
    """How slow a player is; None if that was never measured."""
    found = [one for one in entrants(plan, measured, live, {}) if one.player == player and one.can]
    return _slow(found[0], measured) if found else None


def _slow(one: Entrant, measured: Measured) -> Slow:
    assert one.can is not None
    answers = measured.answers.get(one.player)
    half = answers.p50_us if answers else None
    return Slow(one.bot, one.seconds, one.can.per_second, half, one.at_once)


def _waiting(plan: PlannedLoad, field: Sequence[Entrant], in_flight: int, ends: float) -> float:
    """What all matches take where bots are waited for, if the ends of blocks take the arena so
    long; 0 where nobody is known to be waited for."""
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

"""What a tournament would be: its matches, their balance, and how long it would take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.service.forecast import Forecast, LivePace, Measured, forecast, schedule
from arena.service.forecast.sentences import slowness
from arena.service.live.reader import Live
from arena.store.registry.bots import RegisteredBot
from arena.tournaments.formats import TournamentSpec, format_of
from dashboard.bots.index.connection import connection
from dashboard.tournaments.create.schedule import count, laborious


@dataclass(frozen=True)
class Preview:
    """What is known of a tournament before it is made.

    `at_most` where it may end earlier, not `exact` where its tables take long to be found;
    `absent` are bots that are not connected, `hostless` those that no host has, `unfit` those
    whose client says that it does not play this game at so many seats.
    """

    matches: int
    exact: bool
    at_most: bool
    balance: str
    forecast: Forecast
    absent: tuple[str, ...] = ()
    hostless: tuple[str, ...] = ()
    unfit: tuple[str, ...] = ()
    rounded: str = ""  # why a table plays more matches than were asked for

    @property
    def slowness(self) -> str:
        """How fast the slowest bot answers."""
        return slowness(self.forecast.slowest) if self.forecast.slowest else ""


def preview(spec: TournamentSpec, measured: Measured, live: LivePace, in_flight: int) -> Preview:
    """What a checked tournament would be."""
    matches, exact = count(spec)
    estimate = forecast(schedule(spec, matches), measured, live, in_flight)
    return Preview(matches, exact, format_of(spec.format).ends_early, balance(spec), estimate)


def balance(spec: TournamentSpec) -> str:
    """Who meets whom how often, in a sentence."""
    if laborious(spec):
        return "Balanced tables: every pair of bots meets in about as many matches as any other."
    return format_of(spec.format).preview(spec)


def absentees(
    spec: TournamentSpec, entered: Sequence[RegisteredBot], live: Live, *, hosted: bool = False
) -> tuple[str, ...]:
    """Bots that are not connected, where that is known: those that are hosted, or all others."""
    if not live.known:
        return ()
    return tuple(
        name
        for name, bot in zip(spec.bots, entered, strict=True)
        if bot.hosted == hosted and connection(live, bot.player).state != "connected"
    )


def misfits(spec: TournamentSpec, entered: Sequence[RegisteredBot], live: Live) -> tuple[str, ...]:
    """Bots that are connected, but not for this game at so many seats."""
    here = [live.connected.get(bot.player) for bot in entered]
    return tuple(
        name
        for name, it in zip(spec.bots, here, strict=True)
        if it and not it.plays(spec.game, spec.seats)
    )

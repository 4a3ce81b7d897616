"""The preview of a tournament: its matches, their balance, and the expected duration.

It is fast enough while the user types.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.service.forecast import Forecast, LivePace, Measured, forecast, schedule
from arena.service.forecast.sentences import slowness
from arena.service.live.reader import Live
from arena.store.registry.bots import RegisteredBot
from arena.tournaments.formats import TournamentSpec, format_of
from arena.tournaments.formats.balanced import orbits
from arena.tournaments.formats.gauntlet import field_of
from arena.tournaments.formats.round_robin import tables_of
from arena.tournaments.formats.tables import Tables
from dashboard.bots.index.connection import connection

# Bots times cycles for which finding balanced tables takes about half a second.
MOST = 1500


@dataclass(frozen=True)
class Preview:
    """A tournament before its creation.

    `at_most` if it may end earlier, not `exact` if its tables take too long to compute. `absent`
    are bots that are not connected, `hostless` hosted bots that no host runs, and `unfit`
    connected bots whose client does not support the game or the number of seats.
    """

    matches: int
    exact: bool
    at_most: bool
    balance: str
    forecast: Forecast
    absent: tuple[str, ...] = ()
    hostless: tuple[str, ...] = ()
    unfit: tuple[str, ...] = ()
    rounded: str = ""  # why a table plays more matches than requested

    @property
    def slowness(self) -> str:
        return slowness(self.forecast.slowest) if self.forecast.slowest else ""


def preview(spec: TournamentSpec, measured: Measured, live: LivePace, in_flight: int) -> Preview:
    matches, exact = count(spec)
    estimate = forecast(schedule(spec, matches), measured, live, in_flight)
    return Preview(matches, exact, format_of(spec.format).ends_early, balance(spec), estimate)


def balance(spec: TournamentSpec) -> str:
    """Return a sentence about how often bots meet."""
    if laborious(spec):
        return "Balanced tables: every pair of bots meets in about as many matches as any other."
    return format_of(spec.format).preview(spec)


def absentees(
    spec: TournamentSpec, entered: Sequence[RegisteredBot], live: Live, *, hosted: bool = False
) -> tuple[str, ...]:
    """Return the bots that are known to be disconnected, either hosted ones or all others."""
    if not live.known:
        return ()
    return tuple(
        name
        for name, bot in zip(spec.bots, entered, strict=True)
        if bot.hosted == hosted and connection(live, bot.player).state != "connected"
    )


def misfits(spec: TournamentSpec, entered: Sequence[RegisteredBot], live: Live) -> tuple[str, ...]:
    """Return connected bots whose client does not support the game or the number of seats."""
    here = [live.connected.get(bot.player) for bot in entered]
    return tuple(
        name
        for name, it in zip(spec.bots, here, strict=True)
        if it and not it.plays(spec.game, spec.seats)
    )


def count(spec: TournamentSpec) -> tuple[int, bool]:
    """Return the number of matches, and whether it is exact."""
    tables = _tables(spec)
    if tables is None or not laborious(spec):
        return format_of(spec.format).count(spec), True
    # The minimum; the exact number is rarely more than three orbits higher.
    least = orbits(tables.entrants, tables.size, tables.cycles)
    return tables.entrants * least * spec.seats, False


def laborious(spec: TournamentSpec) -> bool:
    """Whether the tables of the tournament take long to compute."""
    tables = _tables(spec)
    return tables is not None and not tables.every and tables.entrants * tables.cycles > MOST


def _tables(spec: TournamentSpec) -> Tables | None:
    """Return the tables of formats with balanced tables; for a gauntlet, without the candidate."""
    balanced = {"round-robin": tables_of, "gauntlet": field_of}.get(spec.format)
    return balanced(spec) if balanced else None

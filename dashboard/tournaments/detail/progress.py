"""The speed of a tournament and the forecast of its end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlalchemy import Connection

from arena.base import instant
from arena.base.text import duration
from arena.service.forecast import Forecast, LivePace, left
from arena.service.forecast.left import Left
from arena.service.forecast.sentences import AS_SO_FAR
from arena.service.forecast.waits import ForecastCheck, Queued, Spent, check, in_line, place, spent
from arena.service.live import first_forecasts, ready
from arena.service.live.queues import PLAY
from arena.store.tournaments.tournaments import OVER, Tournament
from arena.tournaments.formats import format_of
from dashboard.sources import sources


@dataclass(frozen=True)
class TournamentPace:
    """A tournament and its pace.

    `left` are the remaining matches, None if there are none. `with_forecasts` adds `forecast` and
    `queued`, the place in line (None unless it waits for a worker).
    """

    tournament: Tournament
    speed: float  # matches per second: recently while it runs, else over the whole tournament
    left: Left | None = None
    forecast: Forecast | None = None
    queued: Queued | None = None

    @property
    def state(self) -> str:
        """The displayed state: "scheduled", "queued" if it runs without a worker, or as stored."""
        if self.scheduled:
            return "scheduled"
        return "queued" if self.queued else self.tournament.state

    @property
    def scheduled(self) -> bool:
        return self.tournament.scheduled(instant.now())

    @property
    def open(self) -> bool:
        return self.tournament.open(instant.now())

    @property
    def in_line(self) -> str:
        """A sentence about its place in line; "" if it is not queued."""
        return in_line(self.queued) if self.queued else ""

    @property
    def spent(self) -> Spent:
        return spent(self.tournament, instant.now(), self.queued)

    @property
    def left_s(self) -> float | None:
        """Seconds to its end while it runs; None if unknown."""
        runs = self.tournament.state == "running"
        return self.forecast.seconds if runs and self.forecast else None

    @property
    def left_words(self) -> str:
        """The remaining time as text: "5 min left", or "at most" if results may end it earlier."""
        forecast = self.forecast
        if self.left_s is None or forecast is None:
            return ""
        left = f"{duration(self.left_s)} left"
        if not format_of(self.tournament.spec.format).ends_early:
            return left
        if forecast.likely_seconds is None:
            return f"at most {left}"
        return f"at most {left}, about {duration(forecast.likely_seconds)} if {AS_SO_FAR}"

    @property
    def over(self) -> bool:
        return self.tournament.state in OVER

    @property
    def share(self) -> float:
        return self.tournament.played / max(self.tournament.planned, 1)


def forecast_check(pace: TournamentPace) -> ForecastCheck | None:
    """Compare the first forecast with reality. Reads Redis, so call it outside of transactions."""
    if pace.queued or pace.tournament.state not in ("running", "finished"):
        return None
    recall = partial(first_forecasts.recall, tournament=pace.tournament.id)
    first = sources().reader.answer(recall)
    return check(first, pace.tournament, pace.spent, pace.left_s)


def progress(conn: Connection, tournament: Tournament, now: float) -> TournamentPace:
    if tournament.state in OVER:
        return TournamentPace(tournament, _mean_speed(tournament))
    speed = left.lately(conn, tournament, now)
    return TournamentPace(tournament, speed, left.read(conn, tournament, now))


def with_forecasts(paces: Sequence[TournamentPace]) -> list[TournamentPace]:
    """Add forecasts and places in line. Reads Redis, so call it outside of transactions."""
    players = {p for pace in paces if pace.left for p in pace.left.measured.players}
    if not players:
        return list(paces)
    live, in_flight = sources().seen(players), sources().settings.in_flight
    queued = in_queue([pace.tournament for pace in paces])
    return [_foreseen(pace, live, in_flight, queued.get(pace.tournament.id)) for pace in paces]


def _foreseen(
    pace: TournamentPace, live: LivePace, in_flight: int, queued: Queued | None
) -> TournamentPace:
    if pace.left is None:
        return pace
    rest = pace.left
    if queued and rest.runs_s is not None:  # nothing is played while it is queued
        rest = replace(rest, runs_s=max(rest.runs_s - (instant.now() - queued.since), 0.0))
    return replace(pace, forecast=left.estimate(rest, live, in_flight), queued=queued)


def in_queue(some: Sequence[Tournament]) -> Mapping[int, Queued]:
    """Return the places in line of queued tournaments, by number. Reads Redis, so call it outside
    of transactions."""
    running = [each.id for each in some if each.state == "running"]
    queued = partial(ready.line, now=instant.now())
    line = sources().reader.answer(queued) if running else None
    if line is None or not line.queued.keys() & set(running):
        return {}
    vitals = sources().reader.vitals()
    with sources().read() as conn:
        return place(conn, line, vitals.workers[PLAY] if vitals else 0, running)


def _mean_speed(tournament: Tournament) -> float:
    if tournament.started is None or tournament.finished is None:
        return 0.0
    return tournament.played / max(tournament.finished - tournament.started, 1.0)

"""How fast a tournament goes, and when it will be over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from arena.durations import duration
from arena.forecast import Forecast, left
from arena.forecast.left import Left
from arena.forecast.schedule import ends_early
from arena.forecast.words import AS_SO_FAR
from arena.store.tournaments.tournaments import OVER, Tournament
from dashboard.sources import sources


@dataclass(frozen=True)
class Progress:
    """A tournament and its pace. `left` is what there is still to play, None where nothing is, and
    `forecast` how long that takes, once `with_forecasts` has added it."""

    tournament: Tournament
    speed: float  # matches per second: of the last seconds while it runs, else of the whole
    left: Left | None = None
    forecast: Forecast | None = None

    @property
    def left_s(self) -> float | None:
        """Seconds to its end while it runs; None where that is unknown."""
        runs = self.tournament.state == "running"
        return self.forecast.seconds if runs and self.forecast else None

    @property
    def left_words(self) -> str:
        """The same in words: "5 min left", "at most" where results may end it earlier."""
        forecast = self.forecast
        if self.left_s is None or forecast is None:
            return ""
        left = f"{duration(self.left_s)} left"
        if not ends_early(self.tournament.spec):
            return left
        if forecast.likely_seconds is None:
            return f"at most {left}"
        return f"at most {left}, about {duration(forecast.likely_seconds)} if {AS_SO_FAR}"

    @property
    def over(self) -> bool:
        """Whether nothing will change any more, unless somebody resumes it."""
        return self.tournament.state in OVER

    @property
    def share(self) -> float:
        """How much of it is played, from 0 to 1."""
        return self.tournament.played / self.tournament.planned


def progress(conn: Connection, tournament: Tournament, now: float) -> Progress:
    """The pace of a tournament as it is now."""
    if tournament.state in OVER:
        return Progress(tournament, _mean_speed(tournament))
    speed = left.lately(conn, tournament, now)
    return Progress(tournament, speed, left.read(conn, tournament, now))


def with_forecasts(paces: Sequence[Progress]) -> list[Progress]:
    """The same, each with its forecast. Asks Redis: to be called without a connection to the
    database."""
    players = {p for pace in paces if pace.left for p in pace.left.measured.players}
    if not players:
        return list(paces)
    live, in_flight = sources().seen(players), sources().settings.in_flight
    return [
        replace(pace, forecast=left.estimate(pace.left, live, in_flight)) if pace.left else pace
        for pace in paces
    ]


def _mean_speed(tournament: Tournament) -> float:
    if tournament.started is None or tournament.finished is None:
        return 0.0
    return tournament.played / max(tournament.finished - tournament.started, 1.0)

"""How fast a tournament goes, and when it will be over."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from arena.store.matches import finished_since
from arena.store.tournaments import OVER, Tournament

WINDOW_S = 10.0  # matches that ended in the last so many seconds make the speed


@dataclass(frozen=True)
class Progress:
    """A tournament and its pace; `left_s` is None where it cannot be told."""

    tournament: Tournament
    speed: float  # matches per second: of the last seconds while it runs, else of the whole
    left_s: float | None

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
    if tournament.state != "running" or tournament.started is None:
        return Progress(tournament, _mean_speed(tournament), None)
    window = max(min(WINDOW_S, now - tournament.started), 1.0)
    speed = finished_since(conn, tournament.id, now - window) / window
    left = tournament.planned - tournament.played
    return Progress(tournament, speed, left / speed if speed else None)


def _mean_speed(tournament: Tournament) -> float:
    if tournament.started is None or tournament.finished is None:
        return 0.0
    return tournament.played / max(tournament.finished - tournament.started, 1.0)

"""Live progress of a tournament: a bar on a terminal, otherwise a line every few seconds."""

from __future__ import annotations

import time
from contextlib import nullcontext

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from arena.base.errors import NotNow
from arena.base.text import duration
from arena.cli.screen import console
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.port import Control

LINE_EVERY_S = 5.0


class MatchesPerSecond(ProgressColumn):
    """The recent speed."""

    def render(self, task: Task) -> Text:
        """Return, for example, "96 matches/s"; empty before there is a speed."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.0f} matches/s" if speed else "", style="progress.data.speed")


class TimeLeft(TimeRemainingColumn):
    """The arena's forecast, which knows the slowest bot; else an estimate from the speed."""

    def render(self, task: Task) -> Text:
        """Return, for example, "2 min 5 s"."""
        left = task.fields.get("left")
        if not left or task.finished:
            return super().render(task)
        return Text(left, style="progress.remaining")


class TournamentProgress:
    """Context manager that displays a tournament."""

    def __init__(self) -> None:
        self._console = console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            MatchesPerSecond(),
            TextColumn("ETA"),
            TimeLeft(),
            console=self._console,
            auto_refresh=False,
            disable=not self._console.is_terminal,
            speed_estimate_period=10,
        )
        self._task = self._bar.add_task("waiting", total=None)
        self._begun: tuple[float, int] | None = None  # when matches began, and how many there were
        self._last_line = 0.0
        self._last_state = ""

    def __enter__(self) -> TournamentProgress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, tournament: pb.Tournament) -> None:
        if self._begun is None and tournament.state == "running":
            self._begun = (time.monotonic(), tournament.played)
            self._bar.reset(self._task, completed=tournament.played)
        self._bar.update(
            self._task,
            description=tournament.note or tournament.state,
            total=tournament.planned,
            completed=tournament.played,
            left=time_left(tournament),
        )
        self._bar.refresh()
        if self._bar.disable:
            self._say(tournament)

    def tell(self, sentence: str) -> None:
        """Print a sentence above the bar."""
        self._console.print(sentence, soft_wrap=True)

    def _say(self, tournament: pb.Tournament) -> None:
        if (
            tournament.state != self._last_state
            or time.monotonic() - self._last_line > LINE_EVERY_S
        ):
            self._last_state, self._last_line = tournament.state, time.monotonic()
            self.tell(self._line(tournament))

    def _line(self, tournament: pb.Tournament) -> str:
        words = [tournament.state, f"{tournament.played}/{tournament.planned} matches"]
        since, before = self._begun or (time.monotonic(), tournament.played)
        seconds, played = time.monotonic() - since, tournament.played - before
        if played and tournament.state == "running":
            matches_left = tournament.planned - tournament.played
            left = time_left(tournament) or duration(matches_left * seconds / played)
            words += [f"{played / seconds:.0f} matches/s", f"ETA {left}"]
            if tournament.forecast.waits:
                words.append(f"waiting for {tournament.forecast.slowest.bot}")
        return ", ".join(words) + (f". {tournament.note}" if tournament.note else "")


def time_left(tournament: pb.Tournament) -> str:
    """Return the forecast of a running tournament, or "". Examples: "5 min"; "at most 5 min" if
    results may end it earlier; "about 1 min, at most 5 min"."""
    forecast = tournament.forecast
    if tournament.state != "running" or not tournament.HasField("forecast"):
        return ""
    left = duration(forecast.seconds)
    if not forecast.at_most:
        return left
    if not forecast.HasField("likely_seconds"):
        return f"at most {left}"
    return f"about {duration(forecast.likely_seconds)}, at most {left}"


def watch_to_the_end(control: Control, number: int, *, quiet: bool = False) -> pb.Tournament:
    """Show a tournament until it is over and return its final state. `quiet` shows nothing. Raises
    NotNow if it was cancelled."""
    latest = pb.Tournament()
    with TournamentProgress() if not quiet else nullcontext() as progress:
        for latest in control.watch_tournament(pb.TournamentId(id=number)):
            if progress is not None:
                progress.show(latest)
    if latest.state == "cancelled":
        raise NotNow(
            f"Tournament {number} was cancelled after {latest.played} of {latest.planned} matches."
            f" Resume it with `arena tournament resume {number}`."
        )
    return latest

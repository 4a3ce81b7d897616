"""How a tournament's progress is told where there is no terminal."""

from collections.abc import Iterator
from typing import cast

import pytest

from arena.base.errors import NotNow
from arena.cli import progress
from arena.cli.progress import TournamentProgress, watch_to_the_end
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.port import Control


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def told(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def running(played: int) -> pb.Tournament:
    return pb.Tournament(state="running", played=played, planned=600)


def test_speed_and_time_left_count_from_the_first_match(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with TournamentProgress() as shown:
        shown.show(pb.Tournament(state="waiting", note="Waiting for ann.", planned=600))
        clock.now += 25
        shown.show(running(0))
        clock.now += 6
        shown.show(running(300))

    assert told(capsys) == [
        "waiting, 0/600 matches. Waiting for ann.",
        "running, 0/600 matches",
        "running, 300/600 matches, 50 matches/s, ETA 6 s",
    ]


def test_a_resumed_tournament_is_not_faster_for_what_it_has_behind_it(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with TournamentProgress() as shown:
        shown.show(running(500))
        clock.now += 10
        shown.show(running(550))

    assert told(capsys)[-1] == "running, 550/600 matches, 5 matches/s, ETA 10 s"


def test_forecast_of_the_arena_takes_precedence_over_the_speed(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    foreseen = pb.Forecast(seconds=125.0, waits=True, slowest=pb.SlowBot(bot="slowpoke"))
    with TournamentProgress() as shown:
        shown.show(running(0))
        clock.now += 6
        shown.show(pb.Tournament(state="running", played=300, planned=600, forecast=foreseen))

    assert told(capsys)[-1] == (
        "running, 300/600 matches, 50 matches/s, ETA 2 min 5 s, waiting for slowpoke"
    )


def test_there_is_a_line_every_few_seconds_not_for_every_change(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with TournamentProgress() as shown:
        for played in range(100):
            clock.now += 0.2
            shown.show(running(played))

    assert len(told(capsys)) == 4


class Cancelled:
    """A control under whose watch a tournament is cancelled."""

    def watch_tournament(self, request: pb.TournamentId) -> Iterator[pb.Tournament]:
        yield running(3)
        yield pb.Tournament(state="cancelled", played=4, planned=600)


def cancelled() -> Control:
    return cast("Control", Cancelled())


def test_watch_reports_a_cancelled_tournament() -> None:
    with pytest.raises(NotNow, match="cancelled after 4 of 600 .*arena tournament resume 7"):
        watch_to_the_end(cancelled(), 7)


def test_quiet_watching_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NotNow):
        watch_to_the_end(cancelled(), 7, quiet=True)

    assert told(capsys) == []


@pytest.mark.parametrize(
    ("foreseen", "left"),
    [
        (pb.Forecast(seconds=125.0), "2 min 5 s"),
        (pb.Forecast(seconds=125.0, at_most=True), "at most 2 min 5 s"),
        (
            pb.Forecast(seconds=125.0, at_most=True, likely_seconds=40.0),
            "about 40 s, at most 2 min 5 s",
        ),
    ],
)
def test_a_test_that_may_stop_early_takes_so_long_at_most(
    clock: Clock, capsys: pytest.CaptureFixture[str], foreseen: pb.Forecast, left: str
) -> None:
    with TournamentProgress() as shown:
        shown.show(running(0))
        clock.now += 6
        shown.show(pb.Tournament(state="running", played=60, planned=600, forecast=foreseen))

    assert told(capsys)[-1] == f"running, 60/600 matches, 10 matches/s, ETA {left}"

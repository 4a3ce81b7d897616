"""Stored times follow the database's clock, however wrong a machine's own is."""

import ast
import time
from pathlib import Path

import pytest

from arena.base.instant import SharedClock, ahead_s

ROOT = Path(__file__).parents[3]
HOUR_S = 3600.0
# Where the machine's own clock is the right one.
OWN_CLOCK = {
    "arena/cli/probe.py",  # with the times of files
    "arena/service/host/runs.py",  # with the times of hosted bots
    "arena/service/live/clocks.py",  # which compares it
    "dashboard/account/failures.py",  # with the times of the limits library
    "dashboard/system/http_server.py",  # with the times of waitress
    "workers/setup/watchdog.py",  # with the times of Celery
}
VIEWS_OF_HEALTH = {"dashboard/status/view.py"}


@pytest.fixture
def monotonic(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """This machine's monotonic clock, to be set; its Unix time is an hour ahead."""
    at = [50.0]
    monkeypatch.setattr(time, "monotonic", lambda: at[0])
    monkeypatch.setattr(time, "time", lambda: 1_000_000 + HOUR_S + at[0])
    return at


def test_without_a_database_it_is_this_machines_clock(monotonic: list[float]) -> None:
    assert SharedClock().read() == time.time()


def test_a_wrong_clock_is_left_alone_once_the_database_was_asked(monotonic: list[float]) -> None:
    clock = SharedClock()
    clock.measured(1_000_050.0, 49.9, 50.1)
    assert clock.read() == pytest.approx(1_000_050.0)

    monotonic[0] = 60.0
    assert clock.read() == pytest.approx(1_000_060.0)


def test_a_slow_answer_moves_it_no_further_than_it_must(monotonic: list[float]) -> None:
    clock = SharedClock()
    clock.measured(1_000_050.0, 49.9, 50.1)
    clock.measured(1_000_041.0, 40.0, 50.0)  # asked at 40: read at some moment of ten seconds
    assert clock.read() == pytest.approx(1_000_050.0)

    clock.measured(1_000_055.0, 49.0, 50.0)  # the database's clock was set forward
    assert clock.read() == pytest.approx(1_000_055.0)


def test_a_difference_is_what_the_way_cannot_explain() -> None:
    assert ahead_s(10.0, 9.0, 11.0) == 0
    assert ahead_s(14.0, 9.0, 11.0) == 3
    assert ahead_s(6.0, 9.0, 11.0) == -3


@pytest.mark.long
def test_servers_read_no_other_clock() -> None:
    read = set()
    folders = ("service", "store")
    for folder in (
        *(ROOT / "arena" / each for each in folders),
        ROOT / "dashboard",
        ROOT / "workers",
    ):
        for file in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Attribute) and ast.unparse(node) == "time.time":
                    read.add(str(file.relative_to(ROOT)))
    assert read <= OWN_CLOCK | VIEWS_OF_HEALTH

"""Repeated log lines are counted: what is written, what is counted, and when."""

from __future__ import annotations

import errno
import io
import logging
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from arena.base import logs
from arena.base.logs import MOST_OF_ORIGIN, MOST_ORIGINS, PERIOD_S, RateLimitedHandler


class Log:
    """A logger with a handler under a clock of its own."""

    def __init__(self) -> None:
        self.now = 100.0
        self.stream = io.StringIO()
        self.handler = RateLimitedHandler(self.stream, lambda: self.now)
        self.handler.setFormatter(Formatter())
        self.logger = logging.Logger("arena.test")  # nothing else has its handler
        self.logger.addHandler(self.handler)

    @property
    def lines(self) -> list[str]:
        return self.stream.getvalue().splitlines()


class Formatter(logging.Formatter):
    """Shows the summary after the message."""

    def format(self, record: logging.LogRecord) -> str:
        summary = getattr(record, "summary", None)
        return super().format(record) + (f" {summary}" if summary else "")


@pytest.fixture
def log() -> Iterator[Log]:
    log = Log()
    yield log
    log.handler.close()


def test_a_line_is_written_once_in_a_period_and_then_counted(log: Log) -> None:
    for number in range(1000):
        log.now += 0.001
        log.logger.error("broken", extra={"number": number})
    assert log.lines == ["broken"]

    log.now += PERIOD_S
    log.logger.error("another")
    assert log.lines == ["broken", "broken {'repeated': 999}", "another"]


def test_after_a_period_the_line_is_written_again(log: Log) -> None:
    for _ in range(2):
        log.logger.error("broken")
        log.now += PERIOD_S
    assert log.lines == ["broken", "broken"]


@pytest.mark.long
def test_different_lines_of_one_origin_are_written_up_to_a_number_of_characters(log: Log) -> None:
    for number in range(100_000):
        log.logger.error("page broke at /%d", number)

    written = len(log.lines)
    assert MOST_OF_ORIGIN <= len("".join(log.lines)) < MOST_OF_ORIGIN + 100
    log.handler.close()
    assert log.lines[written:] == [f"page broke at /{written} {{'repeated': {100_000 - written}}}"]


def test_a_flood_does_not_hide_exceptions_of_other_places_or_types(log: Log) -> None:
    def attempt(fail: Callable[[], object]) -> None:
        try:
            fail()
        except Exception:
            log.logger.exception("a call failed")

    def parse(text: str) -> int:
        return int(text) if text else 1 // 0

    def flood() -> None:
        for number in range(500):
            attempt(partial(parse, f"{number} {'x' * 50}"))

    flood()
    before = log.stream.getvalue()
    flood()
    assert log.stream.getvalue() == before
    assert len(before) < MOST_OF_ORIGIN + 1000

    attempt(lambda: parse(""))
    attempt(lambda: int("elsewhere"))
    text = log.stream.getvalue()
    assert "ZeroDivisionError" in text
    assert "'elsewhere'" in text


def test_origins_beyond_the_most_share_one_limit(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MOST_ORIGINS", 10)
    for number in range(5000):
        log.logger.error(f"format {number} %s", "x" * 100)  # as a library might do
    assert len(log.lines) < 10 + 2 * MOST_OF_ORIGIN / 100
    assert MOST_ORIGINS > 10


def test_a_count_is_written_although_nothing_is_logged_after_it(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers: list[Timer] = []

    class Timer(threading.Thread):
        def __init__(self, within_s: float, fire: Callable[[], None]) -> None:
            super().__init__()
            self.within_s, self.fire = within_s, fire
            timers.append(self)

        def start(self) -> None:
            pass

        def cancel(self) -> None:
            pass

    monkeypatch.setattr(threading, "Timer", Timer)
    for _ in range(3):
        log.logger.error("broken")
    (timer,) = timers
    assert timer.within_s == PERIOD_S

    log.now += PERIOD_S
    timer.fire()
    assert log.lines == ["broken", "broken {'repeated': 2}"]


def test_a_real_timer_ends_a_period(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "PERIOD_S", 0.0)
    ended = threading.Event()
    end = log.handler._end_period

    def noted() -> None:
        end()
        if len(log.lines) > 1:
            ended.set()

    monkeypatch.setattr(log.handler, "_end_period", noted)
    log.handler._ends = log.now + 0.01
    for _ in range(2):
        log.logger.error("broken")
    log.now += 1
    assert ended.wait(20)
    assert log.lines[1] == "broken {'repeated': 1}"


def test_a_count_that_cannot_be_written_keeps_no_later_line(
    log: Log, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    for _ in range(2):
        log.logger.error("broken")
    with monkeypatch.context() as patch:
        patch.setattr(log.stream, "write", full)
        log.now += PERIOD_S
        log.handler._timer_fired()
    assert "No space left" in capsys.readouterr().err
    log.logger.error("fine")
    assert log.lines == ["broken", "fine"]


def test_a_line_that_cannot_be_formatted_harms_no_other(
    log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    log.logger.error("%d", "no number")
    log.logger.error("fine")
    assert log.lines == ["fine"]
    assert "Logging error" in capsys.readouterr().err


def test_a_fork_does_not_write_what_its_parent_has_counted(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    for forked in (False, False, False, True):
        if forked:
            monkeypatch.setattr(os, "getpid", lambda: -1)
        log.logger.error("broken")
    log.handler.close()
    assert log.lines == ["broken", "broken"]

"""Logs: one form for our own events and for those of libraries."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from arena.base.config import Settings
from arena.base.logs import MOST_CHARACTERS, setup_logs
from tests.log_setup import logging_restored


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    with logging_restored():
        yield


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_an_event_and_its_fields_are_one_line_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    setup_logs(Settings(log_format="json"), "gateway")

    structlog.get_logger("arena.test").info("session opened", bot="nora")

    (line,) = lines(capsys)
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "session opened",
        "bot": "nora",
        "level": "info",
        "logger": "arena.test",
        "process": "gateway",
    }


def test_library_logs_have_the_same_format(capsys: pytest.CaptureFixture[str]) -> None:
    setup_logs(Settings(log_format="json"), "worker")

    logging.getLogger("celery").warning("lost %d tasks", 3)

    (line,) = lines(capsys)
    assert (line["event"], line["level"], line["process"]) == ("lost 3 tasks", "warning", "worker")


def test_an_exception_is_part_of_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    setup_logs(Settings(log_format="json"), "worker")

    try:
        int("odd")
    except ValueError:
        structlog.get_logger().exception("task failed")

    (line,) = lines(capsys)
    assert "ValueError: invalid literal" in str(line["exception"])


def test_events_below_the_level_are_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    setup_logs(Settings(log_level="warning", log_format="json"), "gateway")

    structlog.get_logger().info("session opened")
    logging.getLogger("celery").info("ready")

    assert lines(capsys) == []


def test_libraries_that_tell_of_every_step_are_heard_only_when_debugging(
    capsys: pytest.CaptureFixture[str],
) -> None:
    setup_logs(Settings(log_format="json"), "beat")
    logging.getLogger("celery.beat").info("Sending due task sweep")
    assert lines(capsys) == []

    setup_logs(Settings(log_level="debug", log_format="json"), "beat")
    logging.getLogger("celery.beat").info("Sending due task sweep")
    assert len(lines(capsys)) == 1


def test_the_console_form_has_no_colours_in_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    setup_logs(Settings(log_format="console"), "gateway")

    structlog.get_logger().info("session opened", bot="nora")

    written = capsys.readouterr().err
    assert "session opened" in written
    assert "bot=nora" in written
    assert "\x1b" not in written


def test_a_repeated_line_is_counted_and_its_summary_has_no_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    setup_logs(Settings(log_format="json"), "gateway")

    for _ in range(1000):
        try:
            int("odd")
        except ValueError:
            structlog.get_logger().exception("a call failed", call="Check")
    setup_logs(Settings(log_format="json"), "gateway")  # closes the handler before

    first, summary = lines(capsys)
    assert "Traceback" in first["exception"]
    assert "repeated" not in first
    assert (summary["event"], summary["call"], summary["repeated"]) == (
        "a call failed",
        "Check",
        999,
    )
    assert summary["exception"] == "ValueError: invalid literal for int() with base 10: 'odd'"


def test_lines_of_libraries_are_counted_too(capsys: pytest.CaptureFixture[str]) -> None:
    setup_logs(Settings(log_format="json"), "gateway")

    for name in ("grpc._cython.cygrpc", "asyncio", "waitress", "flask_wtf.csrf", "celery"):
        for _ in range(10):
            logging.getLogger(name).error("Unexpected [%s]", "KeyError")
    setup_logs(Settings(log_format="json"), "gateway")

    written = lines(capsys)
    assert [line.get("repeated") for line in written] == [None] * 5 + [9] * 5
    assert {line["event"] for line in written} == {"Unexpected [KeyError]"}


def test_a_long_field_is_shortened(capsys: pytest.CaptureFixture[str]) -> None:
    setup_logs(Settings(log_format="json"), "gateway")

    structlog.get_logger().warning("page broke", path="/" + "x" * 1_000_000)

    (line,) = lines(capsys)
    assert len(line["path"]) < MOST_CHARACTERS + 100
    assert " ... 990,001 characters ... " in line["path"]

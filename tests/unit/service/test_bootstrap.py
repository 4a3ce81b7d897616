"""Settings on their way into other processes."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from arena.base.errors import InvalidRequest
from arena.service.bootstrap import environment, load_settings


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("ARENA_"):
            monkeypatch.delenv(name)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"data": Path("/srv/arena"), "port": 1, "grace_s": 2.5, "share_port": True},
        {"tls_cert": Path("/a.pem"), "tls_key": Path("/b.pem"), "admin_token": "x y='z'"},
        {"database_url": "postgresql://u:p@h/d", "redis_url": "redis://:p@h/1"},
    ],
)
def test_another_process_gets_the_same_settings(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]
) -> None:
    settings = load_settings(**given)

    for name, value in environment(settings).items():
        monkeypatch.setenv(name, value)

    assert load_settings() == settings


def test_given_values_take_precedence_over_the_environment_except_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ARENA_PORT", "1000")
    monkeypatch.setenv("ARENA_HOST", "0.0.0.0")

    settings = load_settings(port=2000, host=None)

    assert (settings.port, settings.host) == (2000, "0.0.0.0")


def test_each_variable_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_PORT", "70000")
    monkeypatch.setenv("ARENA_WORKERS", "0")

    with pytest.raises(InvalidRequest, match=r"ARENA_PORT is '70000': .*ARENA_WORKERS is '0': "):
        load_settings()


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("ARENA_EXEMPT_ADDRESSES", "::1,localhost", "'localhost' does not appear to be an IPv4"),
        ("ARENA_WEBHOOK_NETWORKS", "10.20.0.1/16", "10.20.0.1/16 has host bits set. List address"),
        ("ARENA_LOG_LEVEL", "loud", "input should be 'debug', 'info', 'warning' or 'error'"),
        ("ARENA_LOG_FORMAT", "xml", "input should be 'console' or 'json'"),
    ],
)
def test_a_variable_that_cannot_be_used_says_why(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(InvalidRequest, match=re.escape(f"{variable} is '{value}': {said}")):
        load_settings()


def test_levels_and_formats_of_logs_are_known_in_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_LOG_LEVEL", "WARNING")
    monkeypatch.setenv("ARENA_LOG_FORMAT", "JSON")

    assert (load_settings().log_level, load_settings().log_format) == ("warning", "json")

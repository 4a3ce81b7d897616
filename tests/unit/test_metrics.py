"""A gateway's counters, where they are asked for."""

from __future__ import annotations

import socket
import urllib.request

import pytest

from arena.embedded import free_port
from arena.errors import Unavailable
from arena.gateway import metrics


def test_metrics_are_served_as_long_as_they_are_wanted() -> None:
    port = free_port()
    with metrics.served("127.0.0.1", port):
        page = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
    assert "# HELP arena_decisions_sent_total Decisions sent to bots" in page
    assert "arena_sessions " in page
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), 1)


def test_without_a_port_nothing_is_served() -> None:
    with metrics.served("127.0.0.1", 0):
        pass


def test_a_taken_port_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(Unavailable, match="choose another ARENA_METRICS_PORT"),
            metrics.served("127.0.0.1", port),
        ):
            pass

"""Metrics where they are asked for, and on which port each process has them."""

import socket
import struct
import threading
import time
import urllib.request

import pytest

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.base.metrics import OFFSETS, metrics_port
from arena.service.bootstrap import load_settings
from arena.service.gateway import metrics
from arena.service.gateway.sessions.outputs import Outputs
from tests.servers import free_port


def on(port: int) -> Settings:
    return load_settings(host="127.0.0.1", metrics_port=port)


def test_metrics_are_served_as_long_as_they_are_wanted() -> None:
    port = free_port()
    with metrics.served(on(port)):
        page = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
    assert "# HELP arena_decisions_sent_total Decisions sent to bots" in page
    assert "arena_sessions " in page
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), 1)


def test_without_a_port_nothing_is_served() -> None:
    with metrics.served(on(0)):
        pass


def test_a_client_that_breaks_off_leaves_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    reset = struct.pack("ii", 1, 0)  # close sends RST
    with metrics.served(on(port)):
        serving = threading.active_count()
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", port), 5) as client:
                client.sendall(b"GET /metrics HTTP/1.1\r\nA")
                limit = time.monotonic() + 20
                while threading.active_count() == serving:  # until a thread reads
                    assert time.monotonic() < limit
                    time.sleep(0.005)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            while threading.active_count() > serving:  # until it has ended
                assert time.monotonic() < limit
                time.sleep(0.005)
    assert capfd.readouterr().err == ""


def test_a_taken_port_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(Unavailable, match="Choose another ARENA_METRICS_PORT"),
            metrics.served(on(port)),
        ):
            pass


def test_an_address_of_another_machine_is_not_blamed_on_the_port() -> None:
    settings = load_settings(host="192.0.2.1", metrics_port=free_port())
    with pytest.raises(Unavailable, match="Correct ARENA_HOST"), metrics.served(settings):
        pass


def test_each_process_has_a_port_of_its_own_behind_the_first() -> None:
    assert [metrics_port(on(9000), name) for name in OFFSETS] == [
        9000,
        9001,
        9002,
        9003,
        9004,
        9005,
    ]
    assert {metrics_port(on(0), name) for name in OFFSETS} == {0}


def test_decisions_are_counted_by_message() -> None:
    def counted(name: str) -> float:
        return metrics.REGISTRY.get_sample_value(name) or 0.0

    names = ("arena_batch_decisions_count", "arena_batch_decisions_sum")
    before = [counted(name) for name in names]
    outputs = Outputs()
    for size in (3, 0, 5):
        outputs.decisions_sent = size
        metrics.count(outputs)

    assert [counted(name) for name in names] == [before[0] + 2, before[1] + 8]

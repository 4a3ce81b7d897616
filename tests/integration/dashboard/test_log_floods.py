"""Untrusted users cannot fill a log: floods at a gateway and a dashboard, and what they log."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.base.config import Settings
from arena.base.logs import setup_logs
from arena.store import Store
from dashboard import create_app
from tests.load import http2
from tests.load.attackers import OPEN_METHODS
from tests.log_setup import logging_restored
from tests.servers import free_port

CALLS = 200
MALFORMED = b"\x0f\xff\xff"


@dataclass(frozen=True)
class Process:
    """A gateway."""

    port: int
    log: Path

    def exchange(self, data: bytes) -> None:
        """Sends this on a new connection, and waits until the gateway closes it or sends nothing
        more."""
        with http2.connect(self.port) as connection:
            connection.sendall(data)
            connection.settimeout(0.2)
            try:
                while connection.recv(65536):
                    pass
            except OSError:
                pass


@pytest.fixture
def gateway(sqlite_store: Store, redis_url: str, tmp_path: Path) -> Iterator[Process]:
    port, log = free_port(), tmp_path / "gateway.log"
    settings = {
        "ARENA_DATABASE_URL": sqlite_store.engine.url.render_as_string(hide_password=False),
        "ARENA_REDIS_URL": redis_url,
        "ARENA_DATA": str(tmp_path),
        "ARENA_PORT": str(port),
        "ARENA_METRICS_PORT": "0",
    }
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "arena.cli", "gateway"],
            env=os.environ | settings,
            stdout=output,
            stderr=output,
        )
    limit = time.monotonic() + 60
    while b"gateway listens" not in log.read_bytes():
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < limit, log.read_text()
        time.sleep(0.05)
    yield Process(port, log)
    process.terminate()
    process.wait(30)


def goaway(text: bytes) -> bytes:
    return http2.frame(http2.GOAWAY, 0, 0, bytes(7) + b"\1" + text)


def broken_calls() -> bytes:
    """Calls of the health check, each with a header that gRPC cannot read."""
    call = http2.request(OPEN_METHODS[0])
    blocks = [
        call + http2.header("grpc-timeout", "soon"),
        call + http2.header("grpc-encoding", "none of them"),
        call + b"\x00\x0dauthorization\x02\xff\xfe",
    ]
    return b"".join(
        http2.frame(http2.HEADERS, http2.END_HEADERS, 2 * number + 1, blocks[number % len(blocks)])
        for number in range(CALLS)
    )


def test_malformed_messages_and_broken_calls_leave_a_few_lines(gateway: Process) -> None:
    before = gateway.log.stat().st_size
    with grpc.insecure_channel(f"127.0.0.1:{gateway.port}") as channel:
        for method in (*OPEN_METHODS, "/arena.v1.Play/Connect", "/no.such/Method"):
            call: Any = channel.stream_stream(method)
            for number in range(CALLS // 10):
                token = (("authorization", f"Bearer {number}"),)
                assert call(iter([MALFORMED]), metadata=token).code() != grpc.StatusCode.OK
    gateway.exchange(broken_calls())
    for _ in range(3):
        gateway.exchange(goaway(b"x" * 1000))
    for junk in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01", os.urandom(100)):
        with socket.create_connection(("127.0.0.1", gateway.port), timeout=5) as connection:
            connection.sendall(junk)

    written = gateway.log.read_bytes()[before:].decode()
    assert len(written) < 5000, written
    for hidden in ("hpack_parser", "Got goaway", "protobuf", "NotImplementedError"):
        assert hidden not in written


def test_bad_requests_leave_a_few_lines(
    sqlite_store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_restored():
        setup_logs(Settings(), "dashboard")
        app = create_app(Settings(secret_key="a key"), sqlite_store, None)

        @app.get("/broken/<name>")
        def broken(name: str) -> str:
            raise ValueError(name)

        browser = app.test_client()
        for number in range(CALLS):
            browser.post("/sign-in", data={"name": number})  # without the token against forgery
            browser.get(f"/broken/{number}")
            browser.get(f"/missing/{number}")
    written = capsys.readouterr().err
    assert 2 <= written.count("CSRF token is missing") <= 4
    assert "page broke" in written
    assert "repeated=" in written
    assert len(written) < 40_000, len(written)

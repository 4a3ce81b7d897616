"""The dashboard as a process: it starts, answers, and stops on a signal."""

import http.client
import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.base.config import Settings
from arena.operations.supervise.stack import is_healthy
from arena.store import upgrade_store
from dashboard.events.broadcaster import STREAMS
from tests import nursery
from tests.servers import free_port

PATIENCE_S = 30.0
PROMPT_S = 8.0  # `arena up` gives all processes ten seconds; three are usual


def start(data: Path, port: int, **settings: str) -> subprocess.Popen[str]:
    upgrade_store(f"sqlite:///{data / 'arena.db'}").dispose()
    env = {"ARENA_REDIS_URL": "redis://127.0.0.1:1/0", **settings}
    words = ("dashboard", "--data", str(data), "--port", str(port))
    return nursery.start("arena.cli", *words, env=env)


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def dashboard(
    tmp_path: Path, port: int, request: pytest.FixtureRequest
) -> Iterator[subprocess.Popen[str]]:
    """A dashboard that answers, of an arena without Redis."""
    with start(tmp_path, port, **getattr(request, "param", {})) as process:
        try:
            deadline = time.monotonic() + PATIENCE_S
            while not is_healthy("127.0.0.1", port):
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield process
        finally:
            process.kill()


def test_it_answers_without_redis_and_with_an_empty_database(
    dashboard: subprocess.Popen[str], port: int
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", "/api/overview")
    answer = json.loads(connection.getresponse().read())
    connection.close()

    assert answer["bots"] == 0
    assert answer["connected"] is None


FORWARDED = {
    "X-Forwarded-For": "192.0.2.7",
    "X-Forwarded-Host": "proxied.example",
    "X-Forwarded-Port": "443",
    "X-Forwarded-Prefix": "/evil",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Protocol": "ssl",
    "X-Forwarded-Ssl": "on",
    "Forwarded": "for=192.0.2.7;host=proxied.example;proto=https",
}


@pytest.mark.parametrize(
    ("dashboard", "https"),
    [({"ARENA_PROXIES": "0"}, False), ({"ARENA_PROXIES": "1"}, True)],
    indirect=["dashboard"],
)
def test_headers_of_proxies_are_believed_only_where_there_are_proxies(
    dashboard: subprocess.Popen[str], port: int, https: bool
) -> None:
    """Also from this machine, where servers of WSGI believe some by default."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    connection.request("GET", "/sign-in", headers=FORWARDED)
    answer = connection.getresponse()
    page = answer.read().decode()
    connection.close()

    assert answer.status == 200
    assert ("Strict-Transport-Security" in answer.headers) == https
    assert ("Secure" in answer.headers["Set-Cookie"]) == https
    site = "https://proxied.example" if https else f"http://127.0.0.1:{port}"
    assert f'content="{site}/sign-in"' in page
    assert ("proxied" in page) == https
    assert "/evil" not in page


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_promptly_though_a_browser_keeps_its_connection(
    dashboard: subprocess.Popen[str], port: int, told: signal.Signals
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", "/healthz")
    connection.getresponse().read()

    dashboard.send_signal(told)
    status = dashboard.wait(PROMPT_S)

    connection.close()
    assert status == 0
    assert "Traceback" not in dashboard.communicate()[0]


def test_a_taken_port_is_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with start(tmp_path, port) as process:
            told, _ = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}" in told
    assert "ARENA_DASHBOARD_PORT" in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    "begun",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n",
        b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\na",
    ],
)
@pytest.mark.usefixtures("dashboard")
def test_requests_that_do_not_go_on_keep_no_thread(port: int, begun: bytes) -> None:
    with ExitStack() as stack:
        for _ in range(STREAMS + Settings().dashboard_threads + 10):
            connection = socket.create_connection(("127.0.0.1", port))
            stack.enter_context(connection).sendall(begun)
        deadline = time.monotonic() + PATIENCE_S
        while not is_healthy("127.0.0.1", port):
            assert time.monotonic() < deadline, "the dashboard does not answer any more"

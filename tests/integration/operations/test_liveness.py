"""Each process shows signs of life while it works, to systemd and to `arena probe`."""

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.base.config import Settings
from arena.base.liveness import SILENT_S
from arena.operations.embedded import (
    redis_answers,
    redis_binary,
    redis_command,
    redis_config,
    redis_url,
)
from arena.store import Store, upgrade_store
from dashboard import create_app
from tests import nursery
from tests.integration.conftest import Run
from tests.servers import free_port

PATIENCE_S = 60.0
ROLES = {
    "gateway": ("gateway", "--port", "0"),
    "worker": ("worker", "--workers", "1"),
    "prompt worker": ("worker", "--prompt"),
    "review worker": ("worker", "--review"),
    "beat": ("beat",),
    "dashboard": ("dashboard", "--port", "0"),
    "house": ("house",),
}


class Service:
    """A process of the arena, started as systemd does it."""

    def __init__(self, role: str, folder: Path, sockets: Path, url: str) -> None:
        self.role = role
        self.file = folder / f"{role}.alive"
        self._log = folder / f"{role}.log"
        name = str(sockets / role)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(name)
        with self._log.open("wb") as log:
            self.process = nursery.start(
                "arena.cli",
                *ROLES[role],
                env={
                    "ARENA_DATA": str(folder),
                    "ARENA_REDIS_URL": url,
                    "ARENA_LIVENESS_FILE": str(self.file),
                    "ARENA_URL": f"127.0.0.1:{free_port()}",  # not 7420, where others have arenas
                    "ARENA_HOUSE_BOTS": "five",
                    "NOTIFY_SOCKET": name,
                },
                output=log,
            )

    def hears(self, word: str, within_s: float = PATIENCE_S) -> None:
        """Waits until the process has said this."""
        deadline = time.monotonic() + within_s
        while True:
            self._socket.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                if word in self._socket.recv(1000).decode().splitlines():
                    return
            except TimeoutError:
                pytest.fail(f"the {self.role} did not say {word}; its log: {self._log.read_text()}")

    def forget(self) -> None:
        """Drops what was said so far."""
        self._socket.setblocking(False)
        try:
            while self._socket.recv(1000):
                pass
        except BlockingIOError:
            pass

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._socket.close()


@pytest.fixture
def redis_process() -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    port = free_port()
    server = subprocess.Popen(
        redis_command(redis_binary()), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    assert server.stdin
    server.stdin.write(redis_config(port, "pw"))
    server.stdin.close()
    deadline = time.monotonic() + PATIENCE_S
    while not redis_answers(port, "pw"):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    yield server, redis_url(port, "pw")
    server.kill()
    server.wait()


def test_every_process_is_ready_lives_without_redis_and_says_that_it_stops(
    tmp_path: Path, redis_process: tuple[subprocess.Popen[bytes], str], run: Run
) -> None:
    server, url = redis_process
    upgrade_store(f"sqlite:///{tmp_path / 'arena.db'}").dispose()
    with ExitStack() as stack:
        sockets = tempfile.TemporaryDirectory(prefix="arena-", dir="/tmp")  # short names
        folder = Path(stack.enter_context(sockets))
        services = [Service(role, tmp_path, folder, url) for role in ROLES]
        for service in services:
            stack.callback(service.close)
        for service in services:
            service.hears("READY=1")
            assert run("probe", str(service.file)).out.startswith("Alive ")

        server.kill()
        server.wait()
        for service in services:
            service.forget()
        for service in services:
            for _ in range(2):  # the first may have been under way
                service.hears("WATCHDOG=1")
            assert service.process.poll() is None

        for service in services:
            service.process.send_signal(signal.SIGTERM)
        for service in services:
            if service.role != "beat":  # it has ended before it could say so
                service.hears("STOPPING=1")


def test_a_process_that_stands_still_is_found_out(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "alive"
    never = run("probe", str(file))
    file.touch()
    then = time.time() - SILENT_S - 2
    os.utime(file, (then, then))
    hangs = run("probe", str(file))
    patient = run("probe", "--silent", "600", str(file))

    assert (never.status, hangs.status, patient.status) == (2, 2, 0)
    assert "not ready yet" in never.err
    assert "Its process hangs" in hangs.err


def test_without_a_file_a_probe_asks_for_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_LIVENESS_FILE", raising=False)
    asked = run("probe")
    assert asked.status == 2
    assert "ARENA_LIVENESS_FILE" in asked.err


def test_livez_answers_though_the_database_is_gone(sqlite_store: Store) -> None:
    browser = create_app(Settings(), sqlite_store, None).test_client()
    sqlite_store.dispose()
    Path(str(sqlite_store.url.database)).write_bytes(b"no database at all" * 100)

    assert browser.get("/healthz").status_code == 503
    assert browser.get("/livez").status_code == 200

"""Signs of life: what systemd's socket gets, and what a probe finds in the file."""

import os
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.base import liveness
from arena.base.errors import InvalidRequest, Unavailable
from arena.base.liveness import EVERY_S, SILENT_S, Liveness, check

NOW = 1000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, to be set."""
    time = [NOW]
    monkeypatch.setattr("arena.base.liveness.time.monotonic", lambda: time[0])
    return time


class Systemd:
    """What systemd is to a process: a socket that messages come to."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.bind(f"\0{name[1:]}" if name.startswith("@") else name)

    def told(self) -> list[str]:
        messages = []
        while True:
            try:
                messages.append(self._socket.recv(1000).decode())
            except BlockingIOError:
                return messages

    def close(self) -> None:
        self._socket.close()


ABSTRACT = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such names")


@pytest.fixture(params=["a file", pytest.param("an abstract name", marks=ABSTRACT)])
def systemd(request: pytest.FixtureRequest) -> Iterator[Systemd]:
    # The name of a socket has to be short.
    with tempfile.TemporaryDirectory(prefix="arena-", dir="/tmp") as folder:
        abstract = f"@lama-arena-test-{os.getpid()}"
        systemd = Systemd(abstract if "abstract" in request.param else f"{folder}/notify")
        yield systemd
        systemd.close()


def test_the_first_sign_says_that_the_process_is_ready(
    systemd: Systemd, clock: list[float]
) -> None:
    signs = Liveness(systemd.name)
    assert systemd.told() == []
    signs.alive()
    clock[0] += EVERY_S
    signs.alive()
    signs.stopping()

    assert systemd.told() == ["READY=1\nWATCHDOG=1", "WATCHDOG=1", "STOPPING=1"]


def test_many_signs_in_a_second_are_one(systemd: Systemd, clock: list[float]) -> None:
    signs = Liveness(systemd.name)
    for _ in range(20):
        signs.alive()
        clock[0] += EVERY_S / 16
    assert len(systemd.told()) == 2


def test_a_thread_and_a_fork_do_not_speak_for_the_process(
    systemd: Systemd, clock: list[float]
) -> None:
    signs = Liveness(systemd.name)
    other = threading.Thread(target=signs.alive)
    other.start()
    other.join()
    if not (child := os.fork()):
        signs.alive()
        os._exit(0)
    os.waitpid(child, 0)
    assert systemd.told() == []

    if not (child := os.fork()):
        signs.take_over()
        signs.alive()
        os._exit(0)
    os.waitpid(child, 0)
    assert systemd.told() == ["READY=1\nWATCHDOG=1"]


def test_a_systemd_that_is_gone_or_does_not_read_is_no_reason_to_fail(
    systemd: Systemd, clock: list[float]
) -> None:
    signs = Liveness(systemd.name)
    for _ in range(5000):  # more than a socket holds
        signs.alive()
        clock[0] += EVERY_S
    systemd.close()
    signs.stopping()


def test_processes_inherit_no_socket(monkeypatch: pytest.MonkeyPatch, systemd: Systemd) -> None:
    monkeypatch.setattr(liveness, "_of_this_process", Liveness())
    monkeypatch.setenv("NOTIFY_SOCKET", systemd.name)
    liveness.begin(None)
    liveness.alive()

    assert systemd.told() == ["READY=1\nWATCHDOG=1"]
    assert "NOTIFY_SOCKET" not in os.environ


def test_a_probe_hears_nothing_before_the_first_sign_and_then_how_old_the_last_is(
    tmp_path: Path, clock: list[float]
) -> None:
    file = tmp_path / "alive"
    file.touch()  # of a process that ran here before
    signs = Liveness(file=file)
    with pytest.raises(Unavailable, match="not ready yet"):
        check(file, SILENT_S, NOW)
    signs.alive()
    os.utime(file, (NOW, NOW))

    assert check(file, SILENT_S, NOW + SILENT_S) == SILENT_S
    with pytest.raises(Unavailable, match="31 s old. Its process hangs"):
        check(file, SILENT_S, NOW + SILENT_S + 1)

    clock[0] += EVERY_S
    signs.alive()
    assert file.stat().st_mtime > NOW


def test_a_file_that_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match=r"ARENA_LIVENESS_FILE .*/nowhere/alive"):
        Liveness(file=tmp_path / "nowhere/alive")


def test_a_file_that_is_a_folder_is_said_at_once_and_left(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="ARENA_LIVENESS_FILE .* cannot be written"):
        Liveness(file=tmp_path)
    assert list(tmp_path.parent.glob(f"*{tmp_path.name}*")) == [tmp_path]


def test_not_even_for_an_instant_is_there_a_file_before_the_first_sign(tmp_path: Path) -> None:
    # What is made through a link stays when the link is removed.
    (tmp_path / "alive").symlink_to(tmp_path / "made")
    Liveness(file=tmp_path / "alive")

    assert list(tmp_path.iterdir()) == []

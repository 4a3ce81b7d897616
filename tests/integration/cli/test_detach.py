"""`arena up --detach` and `arena down`, as a user types them."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import Mock

import psutil
import pytest

from arena.base import folder
from arena.cli import detach

pytestmark = pytest.mark.timeout(240)

ARENA = (sys.executable, "-P", "-m", "arena.cli")
UP = ("up", "--detach", "--no-house-bots", "--port=0", "--dashboard-port=0", "--workers=1")
WITHIN_S = 120.0
DATA = "my arena"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / DATA


def start(data: Path, *words: str) -> subprocess.Popen[str]:
    """A command in the folder above an arena's, in a session of its own like a terminal's."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    return subprocess.Popen(
        [*ARENA, *words],
        cwd=data.parent,
        env={**env, "ARENA_DATA": DATA},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Waits until the command and all that has its output have ended."""
    out, err = process.communicate(timeout=WITHIN_S)
    return process.returncode, out, err


def run(data: Path, *words: str) -> tuple[int, str, str]:
    return end(start(data, *words))


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_starting(data: Path) -> bool:
    held = folder.holder(data)
    return held is not None and held.state == folder.STARTING


def test_an_arena_is_started_in_the_background_used_and_stopped(data: Path) -> None:
    """Two are started at once, and a command comes before the arena is ready."""
    first, second = start(data, *UP), start(data, *UP)
    wait_for(lambda: is_starting(data))
    added = start(data, "bot", "add", "mybot")
    ended = sorted((end(first), end(second)))

    (status, out, err), (refused, _, reason) = ended
    assert (status, refused) == (0, 2), ended
    assert f"Stop the arena with `arena down --data '{DATA}'`." in out
    assert f"An arena is already running in {DATA}" in reason
    status, out, err = end(added)
    assert (status, out[:5]) == (0, "lama_"), err
    held = folder.holder(data)
    assert held is not None
    assert os.getsid(held.pid) == held.pid, "no terminal's end reaches it"
    arena = psutil.Process(held.pid)
    processes = [arena, *arena.children(recursive=True)]
    assert len(processes) > 5
    assert run(data, "down") == (0, f"The arena in {DATA} has stopped. Its data is kept.\n", "")
    _, alive = psutil.wait_procs(processes, timeout=10)
    assert alive == []
    assert (data / "logs/up.log").read_text().startswith("Stopped.")


def test_an_arena_that_cannot_start_says_why_and_leaves_nothing_running(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        status, out, err = run(data, "up", "--detach", "--port", port)

    assert (status, out) == (2, "")
    assert f"Error: Port {port}, wanted for the gateway, is in use" in err
    assert folder.holder(data) is None


def test_ctrl_c_before_the_arena_is_ready_stops_it(data: Path) -> None:
    up = start(data, *UP)
    wait_for(lambda: is_starting(data))
    up.send_signal(signal.SIGINT)

    status, _, err = end(up)

    assert status == 130
    assert "Traceback" not in err
    assert folder.holder(data) is None


SAYS_MUCH = """
import sys
for _ in range(100_000):
    print("one more line")
    print("and another", file=sys.stderr)
open({ready}, "wb").write(b"ready")
"""


def test_it_starts_if_its_output_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in `arena up --detach | head -1`."""

    def spawn(options: Sequence[str], ready: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", SAYS_MUCH.format(ready=ready)]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdout=pipe, stderr=pipe, pass_fds=[ready])

    monkeypatch.setattr(detach, "_spawn", spawn)
    monkeypatch.setattr(os, "write", Mock(side_effect=BrokenPipeError))

    assert detach.start_detached(()) == 0


@pytest.mark.parametrize(("ended", "status"), [(0, 1), (2, 2), (-15, 143)])
def test_an_arena_that_ended_before_it_was_ready_is_a_failure(ended: int, status: int) -> None:
    """Also one that `arena down` stopped, which ends with 0."""
    assert detach._status(ended) == status

"""Nothing that tests started is left when their process ends, however it ends."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import leftovers, nursery

# A server, a program, and a wait in the middle of a test.
PROGRAM = """
import subprocess, sys, time
from arena.service.live.connect import connect
from tests import leftovers
from tests.servers import redis_server
leftovers.watch()
with redis_server() as url, connect(url) as client:
    server = client.info("server")["process_id"]
    program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    print(server, program.pid, flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_test_process_leaves_nothing_running(number: signal.Signals) -> None:
    root = Path(leftovers.__file__).parent.parent
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], cwd=root, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        started = [int(pid) for pid in process.stdout.readline().split()]
        assert len(started) == 2
        assert all(map(leftovers.start_time, started))
        process.send_signal(number)
        process.wait()
        limit = time.monotonic() + 30
        while any(map(leftovers.start_time, started)) and time.monotonic() < limit:
            time.sleep(0.05)
        assert not any(map(leftovers.start_time, started))


def test_a_program_that_ends_just_now_can_be_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    program = nursery.start("arena.cli", "--version", env={})
    assert "lama-arena" in program.communicate(timeout=60)[0]
    monkeypatch.setattr(program, "poll", lambda: None)  # asked a moment earlier
    program.kill()

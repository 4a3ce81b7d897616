"""Ends what tests have started, even if their own process is killed.

A fixture that is interrupted ends no server. So each test process starts a watcher and marks its
environment, which its children inherit. When the test process is gone, the watcher ends all
processes with the mark, and the servers whose ids it has read, because Redis and PostgreSQL
overwrite their environment. Linux only.

    python tests/leftovers.py MARK   # reads ids of servers until its standard input closes
"""

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

MARK = "PYTEST_PROCESS"
PATIENCE_S = 5.0
_watchers: list[int] = []


def watch() -> None:
    """Marks this process and starts its watcher."""
    if sys.platform != "linux":
        return
    unmarked = dict(os.environ)
    os.environ[MARK] = f"{os.getpid()}-{time.time_ns()}"
    told, tell = os.pipe()  # it closes with this process
    os.posix_spawn(
        sys.executable,
        [sys.executable, __file__, os.environ[MARK]],
        unmarked,
        file_actions=[(os.POSIX_SPAWN_DUP2, told, 0)],
        setsid=True,  # its own session, so that Ctrl-C does not reach it
    )
    os.close(told)
    _watchers.append(tell)


def tell_of(server: int) -> None:
    """Has the watcher end the server with this process id, too."""
    for watcher in _watchers:
        os.write(watcher, f"{server}\n".encode())


def running(mark: str, servers: dict[int, str]) -> list[int]:
    """The ids of all processes with this mark, and of the servers with these start times."""
    setting = f"{MARK}={mark}".encode()
    found = [pid for pid, began in servers.items() if began and start_time(pid) == began]
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or belongs to another user
            if setting in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def start_time(pid: int) -> str:
    """When this process started, in clock ticks; "" if it has ended."""
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return ""
    return "" if state == "Z" else rest[18]


def main(mark: str) -> None:
    """Waits for the end of the test process, then ends the others, gently at first."""
    servers = {int(line): start_time(int(line)) for line in sys.stdin}
    for number in (signal.SIGTERM, signal.SIGKILL):
        limit = time.monotonic() + PATIENCE_S
        while (left := running(mark, servers)) and time.monotonic() < limit:
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
            time.sleep(0.2)


if __name__ == "__main__":
    main(sys.argv[1])

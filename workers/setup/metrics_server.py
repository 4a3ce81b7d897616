"""Serves what the processes of one worker count, from a process of its own.

A worker forks, and had better have no threads; so this is no thread of it. It goes when the worker
is gone, however that ended, and removes the folder in which they counted.

    python -m workers.setup.metrics_server HOST PORT FOLDER
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.base.metrics import Process, metrics_port, served

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # where the library looks, once, when it is imported
READY = "ready"


@contextmanager
def counted(settings: Settings, process: Process) -> Iterator[None]:
    """Has the processes of this kind of worker count into a fresh folder, and serves it for the
    length of the block; nothing without ARENA_METRICS_PORT. To be entered before anything counts.

    Raises Unavailable when the port is taken.
    """
    port = metrics_port(settings, process)
    if not port:
        yield
        return
    folder = tempfile.mkdtemp(prefix="arena-metrics-")
    os.environ[FOLDER] = folder
    command = [sys.executable, "-P", "-m", __name__, settings.host, str(port), folder]
    with subprocess.Popen(  # noqa: S603  # our own module
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # Who kills the worker with all its processes leaves this one the time to clear up.
        start_new_session=True,
    ) as server:
        assert server.stdout is not None
        said = server.stdout.readline().strip()
        if said != READY:
            raise Unavailable(said or "The metrics cannot be served: see the log above.")
        yield


def serve(host: str, port: int, folder: str) -> int:
    """Serves until standard input is closed. Returns the exit status."""
    from prometheus_client import CollectorRegistry
    from prometheus_client.multiprocess import MultiProcessCollector

    registry = CollectorRegistry()
    MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
    try:
        with served(host, port, registry):
            print(READY, flush=True)  # noqa: T201  # to the worker
            sys.stdin.read()
    except Unavailable as error:
        print(error, flush=True)  # noqa: T201
        return 2
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends with the worker, not before
    os.environ.pop(FOLDER, None)
    sys.exit(serve(sys.argv[1], int(sys.argv[2]), sys.argv[3]))

"""Serves the metrics of a worker's processes from a separate process.

It is not a thread, because a process that forks should not have threads. It ends when the worker is
gone, however that ended, and removes the folder of the counts.

    python -m workers.setup.metrics_server HOST PORT FOLDER
"""

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

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # read once, when the library is imported
READY = "ready"


@contextmanager
def counted(settings: Settings, process: Process) -> Iterator[None]:
    """Makes the processes of a worker count in a new folder, and serves it during the block. Does
    nothing without ARENA_METRICS_PORT. Enter this before importing Prometheus' library. Raises
    Unavailable if the port is taken."""
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
        # Survives a kill of the worker's process group, to remove the folder.
        start_new_session=True,
    ) as server:
        assert server.stdout is not None
        said = server.stdout.readline().strip()
        if said != READY:
            raise Unavailable(said or "The metrics server has failed. Read the log above.")
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
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends after the worker
    os.environ.pop(FOLDER, None)
    sys.exit(serve(sys.argv[1], int(sys.argv[2]), sys.argv[3]))

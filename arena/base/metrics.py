"""Serves metrics for Prometheus.

The processes of a machine use consecutive ports from ARENA_METRICS_PORT. Prometheus' library is
imported late, because a worker first has to set the folder for the counts of its processes.
"""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from arena.base.config import Settings
from arena.base.errors import Unavailable

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

Process = Literal["gateway", "worker", "prompt worker", "beat", "dashboard", "review worker"]

log = logging.getLogger(__name__)  # the workers' metrics server does not configure structlog

# Buckets of histograms: decisions in a message, seconds of a task.
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
SECONDS = (0.01, 0.1, 0.5, 1, 5, 15, 60, 300)

# Offsets from ARENA_METRICS_PORT.
OFFSETS: dict[Process, int] = {
    "gateway": 0,
    "worker": 1,
    "prompt worker": 2,
    "beat": 3,
    "dashboard": 4,
    "review worker": 5,
}


def metrics_port(settings: Settings, process: Process) -> int:
    """The port of a process's metrics; 0 for none."""
    return settings.metrics_port + OFFSETS[process] if settings.metrics_port else 0


def count_database_errors(count: Callable[[], object]) -> None:
    """Calls `count` for each error of the database that is not caused by the content of a
    statement."""
    from sqlalchemy import Engine, event
    from sqlalchemy.engine import ExceptionContext
    from sqlalchemy.exc import InterfaceError, InternalError, OperationalError

    @event.listens_for(Engine, "handle_error")
    def note(context: ExceptionContext) -> None:
        if isinstance(
            context.sqlalchemy_exception, (OperationalError, InterfaceError, InternalError)
        ):
            count()


@contextmanager
def served(host: str, port: int, registry: CollectorRegistry) -> Iterator[None]:
    """Serves the registry at http://HOST:PORT/metrics during the block, unless the port is 0.
    Raises Unavailable if the port is taken."""
    if not port:
        yield
        return
    from prometheus_client import start_http_server

    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        raise Unavailable(
            f"The metrics cannot be served on {host}:{port} ({error.strerror}). "
            f"{'Choose another ARENA_METRICS_PORT' if taken else 'Correct ARENA_HOST'}."
        ) from error
    server.handle_error = _note_error  # type: ignore[method-assign]  # the library sets the class
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _note_error(request: object, client_address: object) -> None:
    """Replaces the traceback on stderr for each client that disconnects."""
    log.debug("a request for metrics failed", exc_info=True)

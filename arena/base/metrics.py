"""Metrics for Prometheus: on which port a process serves them, and serving them.

ARENA_METRICS_PORT is one number, and the processes of a machine stand behind each other from it.
Nothing is imported of Prometheus' library before it is needed: a worker has to say first where
its processes keep what they count.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from arena.base.config import Settings
from arena.base.errors import Unavailable

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

Process = Literal["gateway", "worker", "prompt worker", "beat", "dashboard", "review worker"]

log = logging.getLogger(__name__)  # of the standard library: one process has no log of ours

# Buckets of histograms: decisions in a message, seconds of a task.
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
SECONDS = (0.01, 0.1, 0.5, 1, 5, 15, 60, 300)

# What is added to ARENA_METRICS_PORT.
OFFSETS: dict[Process, int] = {
    "gateway": 0,
    "worker": 1,
    "prompt worker": 2,
    "beat": 3,
    "dashboard": 4,
    "review worker": 5,
}


def metrics_port(settings: Settings, process: Process) -> int:
    """The port for the metrics of this process; 0 for none."""
    return settings.metrics_port + OFFSETS[process] if settings.metrics_port else 0


def count_database_errors(count: Callable[[], object]) -> None:
    """Has this process count whenever its database is away or does not take a statement, for
    whatever reason but what is in it."""
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
    """Shows them at http://HOST:PORT/metrics for the length of the block; 0: nowhere.

    Raises Unavailable when the port is taken.
    """
    if not port:
        yield
        return
    from prometheus_client import start_http_server

    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        raise Unavailable(
            f"The metrics cannot be served on {host}:{port} ({error.strerror}): "
            "choose another ARENA_METRICS_PORT."
        ) from error
    server.handle_error = _note_error  # type: ignore[method-assign]  # the library sets the class
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _note_error(request: object, client_address: object) -> None:
    """Instead of a traceback on stderr for each client that breaks off."""
    log.debug("a request for metrics failed", exc_info=True)

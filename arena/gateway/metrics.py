"""Counters of one gateway process, for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, start_http_server

from arena.errors import Unavailable
from arena.gateway.sessions.outputs import Outputs

REGISTRY = CollectorRegistry()

DECISIONS = Counter("arena_decisions_sent", "Decisions sent to bots", registry=REGISTRY)
REPLIES = Counter("arena_replies", "What became of decisions", ["outcome"], registry=REGISTRY)
PROBLEMS = Counter("arena_problems", "Choices refused", ["code"], registry=REGISTRY)
NOTICES_DROPPED = Counter(
    "arena_notices_dropped", "Notices that a bot did not make room for", registry=REGISTRY
)
REFUSALS = Counter(
    "arena_refusals", "Calls and choices beyond a limit", ["limit"], registry=REGISTRY
)
BANS = Counter("arena_bans", "Addresses and tokens banned", ["limit"], registry=REGISTRY)
SESSIONS = Gauge("arena_sessions", "Open bot sessions", registry=REGISTRY)
IN_FLIGHT = Gauge("arena_decisions_in_flight", "Decisions not yet answered", registry=REGISTRY)


def count(outputs: Outputs) -> None:
    """Moves what the sessions have counted into the counters."""
    if outputs.decisions_sent:
        DECISIONS.inc(outputs.decisions_sent)
        outputs.decisions_sent = 0
    if outputs.notices_dropped:
        NOTICES_DROPPED.inc(outputs.notices_dropped)
        outputs.notices_dropped = 0
    if outputs.problems:
        for code, number in outputs.problems.items():
            PROBLEMS.labels(code).inc(number)
        outputs.problems.clear()


@contextmanager
def served(host: str, port: int) -> Iterator[None]:
    """Shows the counters at http://HOST:PORT/metrics for the length of the block; 0: nowhere.

    Raises Unavailable when the port is taken.
    """
    if not port:
        yield
        return
    try:
        server, thread = start_http_server(port, host, REGISTRY)
    except OSError as error:
        raise Unavailable(
            f"The metrics cannot be served on {host}:{port} ({error.strerror}): "
            "choose another ARENA_METRICS_PORT."
        ) from error
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

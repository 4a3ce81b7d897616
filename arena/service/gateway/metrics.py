"""Counters of one gateway process, for Prometheus."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from arena.base import metrics
from arena.base.config import Settings
from arena.service.gateway.certificate import Certificate
from arena.service.gateway.sessions.outputs import Outputs

REGISTRY = CollectorRegistry()
counter = partial(Counter, registry=REGISTRY)
gauge = partial(Gauge, registry=REGISTRY)
histogram = partial(Histogram, registry=REGISTRY)

DECISIONS = counter("arena_decisions_sent", "Decisions sent to bots")
REPLIES = counter("arena_replies", "Replies by outcome", ["outcome"])
PROBLEMS = counter("arena_problems", "Choices refused", ["code"])
NOTICES_DROPPED = counter("arena_notices_dropped", "Notices dropped because a bot did not read")
REFUSALS = counter("arena_refusals", "Calls and choices beyond a limit", ["limit"])
BANS = counter("arena_bans", "Addresses and tokens banned", ["limit"])
SESSIONS = gauge("arena_sessions", "Open bot sessions")
IN_FLIGHT = gauge("arena_decisions_in_flight", "Decisions not yet answered")
BATCH_SIZES = histogram(
    "arena_batch_decisions", "Decisions in one message to a bot", buckets=metrics.SIZES
)
MESSAGES = counter("arena_messages", "Messages received and sent", ["way"])
MESSAGE_BYTES = counter("arena_message_bytes", "Bytes of messages", ["way"])
REDIS_ERRORS = counter("arena_redis_errors", "Times that Redis was away")
DATABASE_ERRORS = counter("arena_database_errors", "Statements that the database could not take")


Way = Literal["from_worker", "to_bot", "from_bot", "to_worker"]
# Looked up once: the lookup by labels costs more than counting.
_WAYS = {way: (MESSAGES.labels(way), MESSAGE_BYTES.labels(way)) for way in get_args(Way)}


def count_message(way: Way, size: int) -> None:
    """Count a message of `size` bytes."""
    messages, message_bytes = _WAYS[way]
    messages.inc()
    message_bytes.inc(size)


def count(outputs: Outputs) -> None:
    """Move the counts of the sessions into the counters."""
    if outputs.decisions_sent:
        DECISIONS.inc(outputs.decisions_sent)
        BATCH_SIZES.observe(outputs.decisions_sent)  # called after each message
        outputs.decisions_sent = 0
    if outputs.notices_dropped:
        NOTICES_DROPPED.inc(outputs.notices_dropped)
        outputs.notices_dropped = 0
    if outputs.problems:
        for code, number in outputs.problems.items():
            PROBLEMS.labels(code).inc(number)
        outputs.problems.clear()


@contextmanager
def served(settings: Settings, certificate: Certificate | None = None) -> Iterator[None]:
    """Serve the counters at the gateway's port for metrics, if set, during the block. Raises
    Unavailable if the port is in use."""
    port = metrics.metrics_port(settings, "gateway")
    with ExitStack() as stack:
        if port and certificate:
            REGISTRY.register(certificate)
            stack.callback(REGISTRY.unregister, certificate)
        stack.enter_context(metrics.served(settings.host, port, REGISTRY))
        yield


metrics.count_database_errors(DATABASE_ERRORS.inc)

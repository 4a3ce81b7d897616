"""A worker's metrics for Prometheus, which its processes count in shared files.

Celery's signals time the tasks. Without ARENA_METRICS_PORT, the metrics are counted in memory.
"""

import time
from collections import Counter as Count
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from celery import Task
from celery.signals import before_task_publish, task_postrun, task_prerun
from prometheus_client import CollectorRegistry, Counter, Histogram

from arena.base import instant
from arena.base.metrics import SECONDS, SIZES, count_database_errors
from arena.protocol.internal.relay_pb2 import Delivery
from arena.store.matches.model import MatchResult

REGISTRY = CollectorRegistry()
counter, histogram = partial(Counter, registry=REGISTRY), partial(Histogram, registry=REGISTRY)

MATCHES = counter("arena_matches", "Matches played and stored", ["game"])
DECISIONS = counter("arena_decisions_asked", "Decisions sent to gateways")
BATCH_SIZES = histogram(
    "arena_batch_decisions", "Decisions in one message to a player", buckets=SIZES
)
FAULTS = counter("arena_faults", "Faults of bots", ["kind"])
LEASES = counter(
    "arena_leases", "Leases of batches: taken, released or lost to another run", ["event"]
)
RETRIES = counter("arena_task_retries", "Batches given back after an error")
OUTAGES = counter("arena_outages", "Tasks ended by an outage of the database or Redis", ["service"])
TASK_SECONDS = histogram(
    "arena_task_seconds", "Duration of tasks; sweeps are arena.sweep", ["task"], buckets=SECONDS
)
TASK_WAIT = histogram(
    "arena_task_wait_seconds", "Time that tasks waited in their queue", ["task"], buckets=SECONDS
)

DATABASE_ERRORS = counter("arena_database_errors", "Errors of the database")
count_database_errors(DATABASE_ERRORS.inc)

SENT = "arena_sent"  # a task's header with the time at which it was sent (Unix seconds)
_begun: dict[str, float] = {}  # by task id, in this process


def sent(deliveries: Mapping[str, Iterable[Delivery]]) -> None:
    """Counts sent decisions, by gateway."""
    for of_gateway in deliveries.values():
        for delivery in of_gateway:
            if size := len(delivery.tickets) + len(delivery.packed_tickets):
                DECISIONS.inc(size)
                BATCH_SIZES.observe(size)


def saved(results: Iterable[MatchResult]) -> None:
    for result in results:
        MATCHES.labels(result.game).inc()
        for kind, number in Count(note.kind for note in result.notes).items():
            FAULTS.labels(kind).inc(number)


@before_task_publish.connect(weak=False)
def _note_sent(headers: dict[str, Any] | None = None, **_: Any) -> None:
    if headers is not None:
        headers[SENT] = instant.now()


@task_prerun.connect(weak=False)
def _note_begun(task_id: str, task: Task[Any, Any], **_: Any) -> None:
    _begun[task_id] = time.monotonic()
    if (then := getattr(task.request, SENT, None)) is not None:
        TASK_WAIT.labels(task.name).observe(max(0.0, instant.now() - then))


@task_postrun.connect(weak=False)
def _note_ended(task_id: str, task: Task[Any, Any], **_: Any) -> None:
    if (then := _begun.pop(task_id, None)) is not None:
        TASK_SECONDS.labels(task.name).observe(time.monotonic() - then)

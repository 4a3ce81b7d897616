"""What a worker counts, for Prometheus. Its processes count into files that they share.

The functions are called where it happens; tasks are timed by Celery's signals. Without
ARENA_METRICS_PORT all of it is counted in memory, which costs a microsecond each.
"""

from __future__ import annotations

import time
from collections import Counter as Count
from collections.abc import Iterable, Mapping
from typing import Any

from celery import Task
from celery.signals import before_task_publish, task_postrun, task_prerun
from prometheus_client import CollectorRegistry, Counter, Histogram

from arena.base import instant
from arena.base.metrics import SECONDS, SIZES, count_database_errors
from arena.protocol.internal.relay_pb2 import Delivery
from arena.store.matches.model import MatchResult

REGISTRY = CollectorRegistry()

MATCHES = Counter("arena_matches", "Matches played and stored", ["game"], registry=REGISTRY)
DECISIONS = Counter("arena_decisions_asked", "Decisions sent to gateways", registry=REGISTRY)
BATCH_SIZES = Histogram(
    "arena_batch_decisions",
    "Decisions in one message to a player",
    buckets=SIZES,
    registry=REGISTRY,
)
FAULTS = Counter("arena_faults", "What bots did wrong", ["kind"], registry=REGISTRY)
LEASES = Counter(
    "arena_leases",
    "Leases of batches: taken, released or lost to another run",
    ["event"],
    registry=REGISTRY,
)
RETRIES = Counter("arena_task_retries", "Batches given back after an error", registry=REGISTRY)
OUTAGES = Counter(
    "arena_outages", "Tasks ended by a database or Redis that is away", ["service"],
    registry=REGISTRY,
)  # fmt: skip
TASK_SECONDS = Histogram(
    "arena_task_seconds",
    "How long tasks take; sweeps are arena.sweep",
    ["task"],
    buckets=SECONDS,
    registry=REGISTRY,
)
TASK_WAIT = Histogram(
    "arena_task_wait_seconds",
    "How long tasks waited in their queue",
    ["task"],
    buckets=SECONDS,
    registry=REGISTRY,
)

DATABASE_ERRORS = Counter(
    "arena_database_errors", "Statements that the database could not take", registry=REGISTRY
)
count_database_errors(DATABASE_ERRORS.inc)

SENT = "arena_sent"  # a header of tasks: when they were sent (Unix seconds)
_begun: dict[str, float] = {}  # by task id, in this process


def sent(deliveries: Mapping[str, Iterable[Delivery]]) -> None:
    """Decisions that were sent, by gateway."""
    for of_gateway in deliveries.values():
        for delivery in of_gateway:
            if size := len(delivery.tickets) + len(delivery.packed_tickets):
                DECISIONS.inc(size)
                BATCH_SIZES.observe(size)


def saved(results: Iterable[MatchResult]) -> None:
    """Matches that were stored."""
    for result in results:
        MATCHES.labels(result.game).inc()
        for kind, number in Count(note.kind for note in result.notes).items():
            FAULTS.labels(kind).inc(number)


def lease(event: str) -> None:
    """A lease was "taken", "released" or "lost"."""
    LEASES.labels(event).inc()


def away(service: str) -> None:
    """A task ended because "database" or "redis" is away."""
    OUTAGES.labels(service).inc()


def retried(batches: int) -> None:
    """Batches were given back after an error, to be played again."""
    RETRIES.inc(batches)


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

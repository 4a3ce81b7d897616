"""What a dashboard counts, for Prometheus: requests, how long they take, outages, what is sent."""

from __future__ import annotations

import time
from collections import Counter as Counts
from collections.abc import Iterator
from contextlib import suppress

from flask import Flask, Response, g, request
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from arena.base.errors import ArenaError
from arena.base.metrics import count_database_errors
from arena.store.registry.mail import outbox
from arena.store.registry.webhooks import deliveries
from dashboard.sources import Sources

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

OUTCOMES = ("sent", "failed", "given_up")
MAILS = "Attempts to send an e-mail: sent, failed (to be tried again), given up"
CALLS = "Calls of webhooks: sent, failed (to be tried again), given up"
MAILS_WAITING = "E-mails that wait to be sent, or to be sent again"
CALLS_WAITING = "Calls of webhooks that wait to be made, or to be made again"


class RedisErrors:
    """Times that Redis did not answer, as the reader counts them."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def collect(self) -> Iterator[CounterMetricFamily]:
        """The counter."""
        failures = self._sources.reader.failures
        yield CounterMetricFamily("arena_redis_errors", "Times that Redis was away", failures)


class Sending:
    """E-mails and calls of webhooks by this dashboard, by what became of them, and what waits in
    the database for whichever dashboard is first."""

    def __init__(self, sources: Sources, mails: Counts[str], calls: Counts[str]) -> None:
        self._sources, self._mails, self._calls = sources, mails, calls

    def describe(self) -> Iterator[Metric]:
        """The same without numbers: nothing is asked before somebody looks."""
        yield CounterMetricFamily("arena_mails", MAILS, labels=["outcome"])
        yield CounterMetricFamily("arena_webhook_calls", CALLS, labels=["outcome"])
        yield GaugeMetricFamily("arena_mails_waiting", MAILS_WAITING)
        yield GaugeMetricFamily("arena_webhook_calls_waiting", CALLS_WAITING)

    def collect(self) -> Iterator[Metric]:
        """The counters; what waits is left out while the database is away."""
        counted = ("arena_mails", MAILS, self._mails), ("arena_webhook_calls", CALLS, self._calls)
        for name, words, counts in counted:
            family = CounterMetricFamily(name, words, labels=["outcome"])
            for outcome in OUTCOMES:
                family.add_metric([outcome], counts[outcome])
            yield family
        with suppress(ArenaError):
            with self._sources.read() as conn:
                mails, calls = outbox.count_waiting(conn), deliveries.count_waiting(conn)
            yield GaugeMetricFamily("arena_mails_waiting", MAILS_WAITING, mails)
            yield GaugeMetricFamily("arena_webhook_calls_waiting", CALLS_WAITING, calls)


def register(app: Flask, sources: Sources) -> CollectorRegistry:
    """Counts an application's requests from now on; gives the registry to be served."""
    registry = CollectorRegistry()
    answers = Counter(
        "arena_http_requests", "Requests answered", ["page", "status"], registry=registry
    )
    seconds = Histogram(
        "arena_http_seconds", "How long requests took", ["page"], buckets=BUCKETS, registry=registry
    )
    errors = Counter(
        "arena_database_errors", "Statements that the database could not take", registry=registry
    )
    count_database_errors(errors.inc)
    registry.register(RedisErrors(sources))

    @app.before_request
    def begin() -> None:
        g.begun = time.monotonic()

    @app.after_request
    def end(response: Response) -> Response:
        # Names of pages, not addresses: of these there is no end.
        page = request.endpoint or "none"
        answers.labels(page, str(response.status_code)).inc()
        if "begun" in g:
            seconds.labels(page).observe(time.monotonic() - g.begun)
        return response

    return registry

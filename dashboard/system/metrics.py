"""Prometheus metrics of a dashboard: requests, durations, errors, e-mails and webhooks."""

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
MAILS = "Attempts to send an e-mail, by outcome: sent, failed (will be retried), given_up"
CALLS = "Webhook calls, by outcome: sent, failed (will be retried), given_up"
MAILS_WAITING = "Queued e-mails, including retries"
CALLS_WAITING = "Queued webhook calls, including retries"


class RedisErrors:
    """The number of times that Redis did not answer."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def collect(self) -> Iterator[CounterMetricFamily]:
        failures = self._sources.reader.failures
        yield CounterMetricFamily("arena_redis_errors", "Failed requests to Redis", failures)


class Sending:
    """E-mails and webhook calls of this dashboard by outcome, and the queues of all dashboards."""

    def __init__(self, sources: Sources, mails: Counts[str], calls: Counts[str]) -> None:
        self._sources, self._mails, self._calls = sources, mails, calls

    def describe(self) -> Iterator[Metric]:
        """Yield the metrics without values, to avoid queries at registration."""
        yield CounterMetricFamily("arena_mails", MAILS, labels=["outcome"])
        yield CounterMetricFamily("arena_webhook_calls", CALLS, labels=["outcome"])
        yield GaugeMetricFamily("arena_mails_waiting", MAILS_WAITING)
        yield GaugeMetricFamily("arena_webhook_calls_waiting", CALLS_WAITING)

    def collect(self) -> Iterator[Metric]:
        """Yield the counters, and the queues unless the database is unavailable."""
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
    """Start counting an application's requests, and return the registry to serve."""
    registry = CollectorRegistry()
    answers = Counter(
        "arena_http_requests", "Requests answered", ["page", "status"], registry=registry
    )
    seconds = Histogram(
        "arena_http_seconds", "Duration of requests", ["page"], buckets=BUCKETS, registry=registry
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
        # Endpoint names, because the number of URLs is unbounded.
        page = request.endpoint or "none"
        answers.labels(page, str(response.status_code)).inc()
        if "begun" in g:
            seconds.labels(page).observe(time.monotonic() - g.begun)
        return response

    return registry

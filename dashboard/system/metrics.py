"""What a dashboard counts, for Prometheus: requests, how long they take, outages."""

from __future__ import annotations

import time
from collections.abc import Iterator

from flask import Flask, Response, g, request
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily

from arena.metrics import count_database_errors
from dashboard.sources import Sources

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class RedisErrors:
    """Times that Redis did not answer, as the reader counts them."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def collect(self) -> Iterator[CounterMetricFamily]:
        """The counter."""
        failures = self._sources.reader.failures
        yield CounterMetricFamily("arena_redis_errors", "Times that Redis was away", failures)


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

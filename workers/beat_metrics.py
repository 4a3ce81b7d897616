"""What beat tells Prometheus: the state of the arena as a whole, since exactly one beat runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily

from arena.config import Settings
from arena.errors import Unavailable
from arena.health.state import arena_state
from arena.live import ready
from arena.live.connect import impatient
from arena.live.reader import LiveReader
from arena.metrics import metrics_port, served
from arena.store import Store, open_store

log = structlog.get_logger(__name__)

# Fields of Health, and what they are.
GAUGES = {
    "redis": "Whether Redis answers",
    "gateways": "Gateways alive",
    "workers": "Workers alive that play tournaments",
    "prompt_workers": "Workers alive that take what somebody waits for",
    "hanging": "Workers that hang",
    "sweeping": "Whether tournaments were looked after a moment ago",
    "queued": "Batches that wait for a worker",
    "played": "Batches that are played",
    "bots": "Bots registered",
    "connected": "Bots connected",
    "hosts": "Hosts alive",
    "uploads_waiting": "Uploads that wait for a host",
    "hosted": "Versions of bots that hosts are to connect",
    "hosted_connected": "Versions of bots that hosts have connected",
    "running": "Tournaments running",
    "waiting": "Tournaments that wait for their bots",
    "matches": "Matches stored",
    "last_match": "When a match ended last, in Unix seconds",
    "unrated": "Matches stored that wait for their turn to be rated",
}


class ArenaCollector:
    """Looks at the arena whenever it is asked."""

    def __init__(self, store: Store, reader: LiveReader) -> None:
        self._store = store
        self._reader = reader

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The gauges; those that nobody can tell are left out."""
        try:
            health = arena_state(self._store, self._reader, None, time.time()).health
        except Unavailable as error:
            log.warning("the state of the arena cannot be read", error=str(error))
            yield GaugeMetricFamily("arena_database", "Whether the database can be read", 0)
            return
        yield GaugeMetricFamily("arena_database", "Whether the database can be read", 1)
        for name, what in GAUGES.items():
            value = getattr(health, name)
            if value is not None:
                yield GaugeMetricFamily(f"arena_{name}", what, float(value))
        if (batches := self._reader.answer(ready.waiting)) is not None:
            what = "For how many seconds the first of the batches that wait has"
            yield GaugeMetricFamily("arena_queue_age_seconds", what, batches.longest_s)


@contextmanager
def serve_arena_metrics(settings: Settings) -> Iterator[None]:
    """Serves them for the length of the block, if there is a port for them. Raises Unavailable
    when it is taken."""
    port = metrics_port(settings, "beat")
    if not port:
        yield
        return
    store = open_store(settings.database, connections=1)
    client = impatient(settings.redis_url)
    registry = CollectorRegistry()
    registry.register(ArenaCollector(store, LiveReader(client)))
    try:
        with served(settings.host, port, registry):
            yield
    finally:
        client.close()
        store.dispose()

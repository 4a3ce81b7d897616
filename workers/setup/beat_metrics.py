"""Metrics of the whole arena, served by beat because there is exactly one."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import structlog
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily

from arena.base import instant
from arena.base.config import Settings
from arena.base.errors import ArenaError
from arena.base.metrics import metrics_port, served
from arena.service.health.facts import Health
from arena.service.health.state import arena_state
from arena.service.health.storage import folders, free_bytes
from arena.service.live.clocks import MachineClock, clocks_with_redis
from arena.service.live.connect import impatient
from arena.service.live.reader import LiveReader
from arena.service.live.ready import TournamentQueue, line
from arena.store import Store, open_store

log = structlog.get_logger(__name__)

# Fields of Health with the help texts of their gauges.
GAUGES = {
    "redis": "Whether Redis answers",
    "gateways": "Gateways alive",
    "workers": "Workers alive that play tournaments",
    "prompt_workers": "Workers alive for interactive work",
    "hanging": "Workers that hang",
    "sweeping": "Whether sweeps are completed",
    "queued": "Batches that wait for a worker",
    "played": "Batches in play",
    "bots": "Bots registered",
    "connected": "Bots connected",
    "hosts": "Hosts alive",
    "uploads_waiting": "Uploads that wait for a host",
    "hosted": "Bot versions that hosts have to connect",
    "hosted_connected": "Bot versions that hosts have connected",
    "running": "Tournaments running",
    "waiting": "Tournaments that wait for their bots",
    "matches": "Matches stored",
    "last_match": "End of the last match in Unix seconds",
    "unrated": "Stored matches that wait for earlier ones to be rated",
}


class ArenaCollector:
    """Collects the state of the arena, and the free space of `folders`."""

    def __init__(self, store: Store, reader: LiveReader, folders: Mapping[str, Path]) -> None:
        self._store = store
        self._reader = reader
        self._folders = folders

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yields the gauges, except unknown ones."""
        yield free_space(self._folders)
        try:
            arena = arena_state(self._store, self._reader, None, instant.now())
            if arena.error:
                raise arena.error
            health = arena.health
        except ArenaError as error:
            log.warning("the state of the arena cannot be read", error=str(error))
            yield GaugeMetricFamily("arena_database", "Whether the database can be read", 0)
            return
        yield from of_arena(health, arena.silence)
        if (queued := self._reader.answer(partial(line, now=instant.now()))) is not None:
            yield without_worker(queued, instant.now())
        if (found := self._reader.answer(clocks_with_redis)) is not None:
            yield clock_offsets(found)


def of_arena(health: Health, silence: float) -> Iterator[GaugeMetricFamily]:
    """The gauges of the arena's health; see `ArenaState.silence`."""
    yield GaugeMetricFamily("arena_database", "Whether the database can be read", 1)
    for name, what in GAUGES.items():
        value = getattr(health, name)
        if value is not None:
            yield GaugeMetricFamily(f"arena_{name}", what, float(value))
    what = "Seconds without the end of any match while tournaments run"
    yield GaugeMetricFamily("arena_seconds_without_match", what, silence)


def without_worker(queued: TournamentQueue, now: float) -> GaugeMetricFamily:
    """The longest time for which a tournament with batches to play has had no worker."""
    seconds = max((now - since for since in queued.queued.values()), default=0.0)
    what = "The most seconds for which a tournament with batches to play has had no worker"
    return GaugeMetricFamily("arena_seconds_without_worker", what, seconds)


def clock_offsets(found: list[MachineClock]) -> GaugeMetricFamily:
    """The gauge of the processes' clocks."""
    what = "Seconds by which a process's clock is ahead of the database's"
    family = GaugeMetricFamily("arena_clock_offset_seconds", what, labels=("process", "host"))
    for clock in found:
        family.add_metric((clock.process, clock.host), clock.ahead_s)
    return family


def free_space(folders: Mapping[str, Path]) -> GaugeMetricFamily:
    """The gauge of the free space where the arena stores data, on beat's machine."""
    what = "Free bytes on the disk of a folder"
    family = GaugeMetricFamily("arena_free_bytes", what, labels=("folder",))
    for name, folder in folders.items():
        try:
            family.add_metric((name,), free_bytes(folder))
        except OSError as error:
            log.warning("free space cannot be read", folder=str(folder), error=str(error))
    return family


@contextmanager
def serve_arena_metrics(settings: Settings) -> Iterator[None]:
    """Serves these metrics during the block, if there is a port. Raises Unavailable if it is
    taken."""
    port = metrics_port(settings, "beat")
    if not port:
        yield
        return
    with (
        open_store(settings.database, connections=1) as store,
        impatient(settings.redis_url) as client,
    ):
        registry = CollectorRegistry()
        registry.register(ArenaCollector(store, LiveReader(client), folders(settings)))
        with served(settings.host, port, registry):
            yield

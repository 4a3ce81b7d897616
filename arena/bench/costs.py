"""What parts of the arena cost, measured on this machine: what `arena capacity` calculates with.

Arenas with few and with many bots show what messages and decisions cost; one with many bots that
wait, what a connected bot takes; batches of results in a database, what a stored match does.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, text

from arena.base import gc_tuning
from arena.bench import load, synthetic_arena
from arena.bench.dashboard import database_bytes
from arena.bench.growth import Point, of_bots, of_flight
from arena.bench.growth_arena import Watch, point
from arena.bench.usage import memory
from arena.capacity.costs import STATIONS, Costs, StationCost
from arena.capacity.fit import Sample, fitted
from arena.games.match import Match, MatchSetup, Seat
from arena.store import upgrade_store
from arena.store.tables import MATCH_TABLES

BOTS = (4, 16, 64, 256)  # from full messages to nearly empty ones
PLAYERS = 200
BATCH = 500  # results stored together, as workers do
HALF = 80  # decisions of a match of LAMA until about its middle
WITH_PARTITIONS = text(
    "SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree(CAST(:table AS regclass))"
)
PROCESSES = {"worker": "worker", "gateway": "gateway", "redis": "redis", "bot": "bots"}


@dataclass(frozen=True)
class Extent:
    """How much is measured: seconds of each arena, matches stored, bots that wait, matches held in
    memory."""

    seconds: float = 10.0
    matches: int = 40_000
    waiting: int = 1000
    held: int = 4000


@dataclass(frozen=True)
class Stored:
    """Of one match: bytes in the database, CPU time of who stores it, and time until it is stored
    (µs)."""

    bytes: float
    cpu_us: float
    wall_us: float


def measure(
    database: str, archive_bytes: float, extent: Extent, tell: Callable[[str], None]
) -> tuple[Costs, list[Point]]:
    """All costs, with the arenas that they follow from. `database` is the URL of an empty
    PostgreSQL database. Raises Unavailable, NotNow."""
    gc_tuning.tune()  # as workers do
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        sqlite = _stored(f"sqlite:///{Path(folder) / 'arena.db'}", extent, tell)
    postgresql = _stored(database, extent, tell)
    watch = Watch(extent.seconds, 1, 1)
    points = []
    for one in (*map(of_bots, BOTS), of_flight(1)):
        tell(one.title)
        points.append(point(one.bots, one, watch))
    waiting = _waiting(extent, tell)
    stations = of_stations(points[:-1], sqlite.cpu_us)
    single = sum(each.of_decision(1) for each in stations.values())
    return Costs(
        **stations,
        store_us=postgresql.cpu_us,
        database_us=max(0.0, postgresql.wall_us - postgresql.cpu_us),
        lock_us=postgresql.wall_us,
        latency_us=max(0.0, 1e6 / points[-1].decisions_per_s - single),
        sqlite_bytes=sqlite.bytes,
        postgresql_bytes=postgresql.bytes,
        archive_bytes=archive_bytes,
        connected_bot_bytes=waiting.gateway_bytes,
        waiting_bot_us=1e6 * waiting.steps[1].cores / extent.waiting,
        match_in_flight_bytes=_match_bytes(extent.held),
        redis_bytes=points[0].redis_bytes / points[0].decisions,
    ), points


def of_stations(points: Sequence[Point], store_us: float) -> dict[str, StationCost]:
    """The costs of messages and decisions that fit these arenas; of a worker without what storing
    matches takes."""
    found = {}
    for name in STATIONS:
        stored = store_us / 1e6 if name == "worker" else 0.0
        found[name] = fitted(
            [
                Sample(
                    each.decisions,
                    each.messages,
                    each.cpu[PROCESSES[name]] - stored * each.matches,
                )
                for each in points
            ]
        )
    return found


def _stored(url: str, extent: Extent, tell: Callable[[str], None]) -> Stored:
    """Of matches with the logs of matches really played, in batches; the first warms up."""
    store = upgrade_store(url)
    tell(f"{extent.matches:,} matches into {store.url.get_backend_name()}")
    population = synthetic_arena.population_of(PLAYERS, seed=1)
    deals = extent.matches // synthetic_arena.SEATS
    tournament = synthetic_arena.begin(store, population.names, "Costs", deals, time.time())
    found = list(
        synthetic_arena.results(tournament, population, range(deals), time.time() - 60.0, 0.001)
    )
    synthetic_arena.save(store, found[:BATCH])
    with store.read() as conn:
        before = _match_tables_bytes(conn)
    began, cpu_began = time.perf_counter(), time.process_time()
    for first in range(BATCH, len(found), BATCH):
        synthetic_arena.save(store, found[first : first + BATCH])
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu_began
    with store.read() as conn:
        taken = _match_tables_bytes(conn) - before
    store.dispose()
    count = len(found) - BATCH
    return Stored(taken / count, 1e6 * cpu / count, 1e6 * wall / count)


def _match_tables_bytes(conn: Connection) -> int:
    """What finished matches take with their indexes; in SQLite the whole file."""
    if conn.dialect.name == "sqlite":
        return database_bytes(conn)
    sizes = [conn.scalar(WITH_PARTITIONS, {"table": each.name}) for each in MATCH_TABLES]
    return int(sum(sizes))


def _waiting(extent: Extent, tell: Callable[[str], None]) -> load.Load:
    crowds = load.Crowds(connected=extent.waiting, playing=20, storm=1, seconds=extent.seconds / 2)
    return load.measure(crowds, tell)


def _match_bytes(count: int) -> float:
    """Memory of a match in flight, in the middle of it."""
    chance, seats = random.Random(1), tuple(map(Seat, "abcd"))
    before = memory()
    held = []
    for number in range(count):
        match = Match(MatchSetup(f"m{number}", "lama", chance.randbytes(16), seats))
        for _ in range(HALF):
            if view := match.decision:
                match.answer(chance.choice(view.actions))
        held.append(match)
    return max(0.0, (memory() - before) / len(held))

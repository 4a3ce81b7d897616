"""Measures a database with very many matches: a synthetic arena on SQLite or PostgreSQL, stored as
workers do, with the logs of played matches."""

import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sqlalchemy import text

from arena.base import gc_tuning
from arena.base.config import Settings
from arena.store import Store, rebuild, upgrade_store
from arena.store.engine import PATIENT
from arena.store.matches import read_columns
from arena.store.projections import PROJECTIONS, Projection
from arena.store.registry import bots
from arena.store.save import MatchResult
from arena.store.tournaments import tournaments
from tests.lab.bench import dashboard, synthetic_arena
from tests.lab.bench.addresses import Page
from tests.lab.bench.steps import Step, timed_step
from tests.lab.bench.synthetic_arena import GAME, SEATS
from tests.servers import free_port

BATCH, BATCHES = 500, 20  # as workers store them
BULK, BULKS = 4000, 3  # large batches
HOME = Page("home", ["/"])
REPLAYED = "latencies"  # the projection that needs every match's log


@dataclass(frozen=True)
class StoreTimes:
    """The database, how many matches and bots it has, all steps, and the machine's one-minute
    load averages."""

    database: str
    matches: int
    bots: int
    load_before: float
    load_after: float
    steps: tuple[Step, ...]


def measure(
    count: int,
    players: int,
    keep: Path | None,
    database: str,
    replays: bool,
    tell: Callable[[str], None],
) -> StoreTimes:
    """Measure an arena of `count` matches and `players` bots. It is created in the folder `keep` or
    in the `database` of that URL, or reused if there is one. Without `replays`, projections that
    replay every match are left out. Raises Unavailable."""
    with ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-")))
        settings = Settings(
            data=folder,
            database_url=database,
            dashboard_port=free_port(),
            log_level="warning",
        )
        dashboard.make_arena(settings, count, players, tell)
        store = upgrade_store(settings.database)
        stack.callback(store.dispose)
        load = os.getloadavg()[0]
        steps = (_first_page(settings, tell), *_steps(store, replays, tell))
        return _told(store, load, steps)


def _first_page(settings: Settings, tell: Callable[[str], None]) -> Step:
    """Request the home page from a new dashboard. The CPU time of its process is unknown."""
    tell("the first page after a start")
    with dashboard.served(settings, 0.0, tell) as visitor:
        first = visitor.time(HOME, 1, 0).first / 1000
    return Step("the first page after a start", first, 0.0, 0.0)


def _steps(store: Store, replays: bool, tell: Callable[[str], None]) -> list[Step]:
    gc_tuning.tune()  # as workers and the command do
    counted = [each for each in PROJECTIONS if replays or each.name != REPLAYED]
    steps = [_storing(store, BATCH, BATCHES, tell), _storing(store, BULK, BULKS, tell)]
    for what, work in (("rebuild", _rebuild), ("check", _check)):
        tell(what)
        parts: list[Step] = []
        whole = timed_step(what, partial(work, store, counted, parts))
        steps += [*parts, whole]
    return steps


def _storing(store: Store, size: int, count: int, tell: Callable[[str], None]) -> Step:
    """Store `count` batches of this size, and return the median."""
    tell(f"{count} batches of {size:,} results")
    what = f"storing a batch of {size:,} results"
    steps = [
        timed_step(what, partial(synthetic_arena.save, store, batch))
        for batch in _batches(store, size, count)
    ]
    return sorted(steps, key=lambda step: step.seconds)[len(steps) // 2]


def _batches(store: Store, size: int, count: int) -> list[list[MatchResult]]:
    """Return batches of a new tournament. The first one only warms the caches."""
    now = time.time()
    with store.read() as conn:
        players = len(bots.all_bots(conn))
    population = synthetic_arena.population_of(players, random.randrange(1 << 30))
    deals = size * (count + 1) // SEATS
    tournament = synthetic_arena.begin(store, population.names, "Batches", deals, now)
    found = list(synthetic_arena.results(tournament, population, range(deals), now, 0.01))
    synthetic_arena.save(store, found[:size])
    return [found[first : first + size] for first in range(size, len(found), size)]


def _rebuild(store: Store, counted: Sequence[Projection], parts: list[Step]) -> None:
    """As `arena ratings rebuild`, part by part."""
    with store.write(PATIENT) as conn:
        rebuild.lock(conn, GAME)
        with read_columns.read_once(conn):
            read = partial(read_columns.of_game, conn, GAME)
            parts.append(timed_step("rebuild: reading the matches", read))
            for each in counted:
                work = partial(each.rebuild, conn, GAME)
                parts.append(timed_step(f"rebuild: {each.name}", work))


def _check(store: Store, counted: Sequence[Projection], parts: list[Step]) -> None:
    """As `arena ratings rebuild --check`, part by part. Raises RuntimeError for a difference."""
    with store.snapshot() as conn, read_columns.read_once(conn):
        read = partial(read_columns.of_game, conn, GAME)
        parts.append(timed_step("check: reading the matches", read))

        def compare(each: Projection) -> None:
            if found := list(each.differences(conn, GAME)):
                raise RuntimeError(f"{each.name}: {found}")

        parts.extend(timed_step(f"check: {each.name}", partial(compare, each)) for each in counted)


def _told(store: Store, load: float, steps: tuple[Step, ...]) -> StoreTimes:
    postgres = store.url.get_backend_name() == "postgresql"
    version = "SHOW server_version" if postgres else "SELECT sqlite_version()"
    with store.read() as conn:
        number = conn.scalar(text(version))
        played = sum(each.played for each in tournaments.all_tournaments(conn))
        registered = len(bots.all_bots(conn))
    name = f"{'PostgreSQL' if postgres else 'SQLite'} {number}"
    return StoreTimes(name, played, registered, load, os.getloadavg()[0], steps)

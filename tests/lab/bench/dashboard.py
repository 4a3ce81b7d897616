"""Measures how fast the dashboard answers with very many stored matches.

The real server, as `arena dashboard` starts it, serves a synthetic arena; one client requests
page after page over loopback. Meanwhile another process can write results.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, text

from arena.base.config import Settings
from arena.operations.supervise import stack
from arena.operations.supervise.child import ChildSpec
from arena.operations.supervise.supervisor import Supervisor
from arena.service.bootstrap import environment
from arena.store import open_store, upgrade_store
from arena.store.registry import bots
from arena.store.tournaments import tournaments
from tests.lab import programs
from tests.lab.bench.addresses import pages
from tests.lab.bench.connected import connect_some
from tests.lab.bench.synthetic_arena import make
from tests.lab.bench.usage import usage
from tests.lab.bench.visits import TimedVisitor, Timing
from tests.servers import embedded_redis, free_port

START_S = 60.0
WARM_UP = 5  # requests of each page that are not counted


@dataclass(frozen=True)
class DashboardTimes:
    """The size of the arena and the time of each page; `load_before` and `load_after` are the
    machine's one-minute load averages."""

    matches: int
    bots: int
    database_megabytes: float
    written_per_second: float
    load_before: float
    load_after: float
    pages: tuple[Timing, ...]


def measure(
    count: int,
    players: int,
    requests: int,
    keep: Path | None,
    database: str,
    busy: float,
    name_part: str,
    tell: Callable[[str], None],
) -> DashboardTimes:
    """Serves an arena of `count` matches and `players` bots, and measures every page whose name
    contains `name_part`.

    The arena is created in the folder `keep` or in the `database` of that URL, or reused if there
    is one; without either it is created in a temporary folder. Meanwhile `busy` results a second
    are stored. Raises Unavailable.
    """
    with ExitStack() as stack_:
        folder = keep or Path(stack_.enter_context(tempfile.TemporaryDirectory(prefix="arena-")))
        settings = Settings(
            data=folder,
            database_url=database,
            dashboard_port=free_port(),
            log_level="warning",
        )
        make_arena(settings, count, players, tell)
        load = os.getloadavg()[0]
        with served(settings, busy, tell) as visitor:
            return _measured(settings, visitor, requests, busy, load, name_part, tell)


def make_arena(settings: Settings, count: int, players: int, tell: Callable[[str], None]) -> None:
    """Creates the arena where the settings say, unless there is one; one of an older release is
    upgraded. Raises Unavailable."""
    file = settings.data / "arena.db"
    if not settings.database_url and not file.exists():
        make_file(file, count, players, tell)
    store = upgrade_store(settings.database)
    try:
        with store.read() as conn:
            empty = not bots.all_bots(conn)
        if empty:
            make(store, count, players, tell, time.time())
    finally:
        store.dispose()


def make_file(file: Path, count: int, players: int, tell: Callable[[str], None]) -> None:
    """Creates the arena under another name until it is complete, so that an unfinished one is
    never measured."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name("making.db")
    for left_over in file.parent.glob("making.db*"):
        left_over.unlink()
    store = upgrade_store(f"sqlite:///{unfinished}")
    try:
        make(store, count, players, tell, time.time())
    finally:
        store.dispose()
    unfinished.rename(file)


@contextmanager
def served(settings: Settings, busy: float, tell: Callable[[str], None]) -> Iterator[TimedVisitor]:
    """A client of a dashboard that has just started; meanwhile `busy` results a second are stored.
    Raises Unavailable."""
    with (
        embedded_redis() as redis_url,
        Supervisor(settings.data / "logs", tell, give_up_after=1) as supervisor,
    ):
        served = settings.model_copy(update={"redis_url": redis_url})
        connect_some(served)
        supervisor.start(stack.dashboard(served))
        supervisor.await_ready("dashboard", within_s=START_S)
        if busy:
            command = programs.python("tests.lab.bench.busy", str(busy))
            supervisor.start(ChildSpec("busy", command, environment(served)))
        visitor = TimedVisitor(
            settings.dashboard_port, lambda: usage(supervisor)["dashboard"].cpu_s
        )
        yield visitor
        visitor.leave()


def _measured(
    settings: Settings,
    visitor: TimedVisitor,
    requests: int,
    busy: float,
    load: float,
    name_part: str,
    tell: Callable[[str], None],
) -> DashboardTimes:
    store = open_store(settings.database)
    with store.read() as conn:
        selected = [page for page in pages(conn) if name_part in page.name]
        stored = sum(each.played for each in tournaments.all_tournaments(conn))
        registered = len(bots.all_bots(conn))
        megabytes = database_bytes(conn) / 2**20
    store.dispose()
    timings = []
    for page in selected:
        tell(page.name)
        timings.append(visitor.time(page, requests, WARM_UP))
    return DashboardTimes(
        matches=stored,
        bots=registered,
        database_megabytes=megabytes,
        written_per_second=busy,
        load_before=load,
        load_after=os.getloadavg()[0],
        pages=tuple(timings),
    )


def database_bytes(conn: Connection) -> int:
    """What the database takes on disk."""
    if conn.dialect.name == "sqlite":
        return int(conn.scalar(text("PRAGMA page_count")) * conn.scalar(text("PRAGMA page_size")))
    return int(conn.scalar(text("SELECT pg_database_size(current_database())")))

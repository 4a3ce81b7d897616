"""Gathers the facts about the arena and runs all checks."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

from arena.base import instant
from arena.base.config import Settings
from arena.base.errors import ArenaError, Unavailable
from arena.service.health.certificates import check_expiry
from arena.service.health.facts import NOTHING, Facts, Health, Stored, alive, stored
from arena.service.health.finding import Finding, consequences
from arena.service.health.processes import (
    check_beat,
    check_gateways,
    check_hosts,
    check_overload,
    check_progress,
    check_running,
    check_tournaments,
    check_workers,
)
from arena.service.health.services import check_clocks, check_database, check_locks, check_redis
from arena.service.health.storage import (
    check_data_folder,
    check_disk,
    check_shared_memory,
    check_temporary_folder,
)
from arena.service.live import hosting, overload
from arena.service.live.clocks import clocks_with_redis
from arena.service.live.connect import impatient
from arena.service.live.reader import UNKNOWN, Live, LiveReader
from arena.store.database_error import AWAY
from arena.store.engine import Connections
from arena.store.opening import open_store
from arena.store.registry.bots import RegisteredBot
from arena.store.writable import Verdict, verdict

PATIENCE_S = 8.0  # longer than the connection timeout of a database (5 s)

Answer = TypeVar("Answer")

_stuck: list[threading.Thread] = []  # wait for a database


def check_machine(facts: Facts) -> Iterator[Finding]:
    """Checks this machine, if `settings` are known. The data folder may be read-only if the
    database is elsewhere."""
    if facts.settings is None:
        return
    if sys.platform == "linux":
        yield check_shared_memory()
    yield check_temporary_folder()
    if facts.settings.database.startswith("sqlite"):
        yield check_data_folder(facts.settings.data)
    yield from check_disk(facts.settings)
    if facts.settings.tls_cert:
        yield check_expiry(facts.settings.tls_cert, facts.now)


# A check comes after those that it depends on.
CHECKS: Sequence[Callable[[Facts], Iterator[Finding]]] = (
    check_database,
    check_redis,
    check_locks,
    check_gateways,
    check_workers,
    check_beat,
    check_hosts,
    check_tournaments,
    check_progress,
    lambda facts: check_overload(facts.share),
    lambda facts: check_clocks(facts.clocks),
    check_machine,
)
READY = ("arena", "database", "Redis", "workers", "beat")  # without which nothing can be played


@dataclass(frozen=True)
class ArenaState:
    """The arena at a moment: its numbers, findings, connected players and bots."""

    health: Health
    findings: Sequence[Finding]
    live: Live = UNKNOWN
    bots: Sequence[RegisteredBot] = ()
    error: ArenaError | None = None  # why the database cannot be used
    silence: float = 0.0  # seconds without the end of any match while tournaments are running

    @property
    def wrong(self) -> Sequence[Finding]:
        """The problems that are not consequences of others, in the order of the checks."""
        return [each for each in self.findings if each.state == "wrong"]


def look(settings: Settings, *, runs: bool = True) -> ArenaState:
    """The state of the arena with these settings. Without `runs`, Redis is not asked.
    Raises nothing; see `ArenaState.error`."""
    opening = partial(open_store, settings.database, archive=settings.archive_folder)
    with closing(_reader(settings) if runs else LiveReader(None)) as reader:
        try:
            with patiently(opening) as store:
                return arena_state(store, reader, partial(verdict, store), instant.now(), settings)
        except (ArenaError, OSError) as error:
            away = _explained(error)
            return _examined(NOTHING, None, reader, instant.now(), settings, away)


def _reader(settings: Settings) -> LiveReader:
    try:
        return LiveReader(impatient(settings.redis_url))
    except Unavailable as error:
        return LiveReader(None, error)


def arena_state(
    store: Connections,
    reader: LiveReader,
    probe: Callable[[], Verdict] | None,
    now: float,
    settings: Settings | None = None,
    *,
    bounded: bool = True,
) -> ArenaState:
    """The state at `now` (Unix seconds). `probe` tests whether the database accepts writes.
    With `settings` this machine is checked, too. Must not be called within a transaction. Raises
    nothing; a frozen database is given up on only if `bounded`."""

    def read() -> tuple[Stored, Verdict]:
        with store.read() as conn:
            found = stored(conn, now)
        return found, probe() if probe else None

    try:
        found, written = patiently(read) if bounded else read()
    except (ArenaError, SQLAlchemyError) as error:
        return _examined(NOTHING, None, reader, now, settings, _explained(error))
    return _examined(found, written, reader, now, settings)


def _explained(error: Exception) -> ArenaError:
    if isinstance(error, ArenaError):
        return error
    reason = getattr(error, "strerror", "") or " ".join(str(error).split())
    return Unavailable(f"The database cannot be read ({reason}).", AWAY)


def _examined(
    found: Stored,
    written: Verdict,
    reader: LiveReader,
    now: float,
    settings: Settings | None,
    error: ArenaError | None = None,
) -> ArenaState:
    vitals, live = reader.vitals(), reader.live([bot.player for bot in found.bots])
    health = Health(
        database="away" if error else written,
        redis=vitals is not None,
        connected=_connected(live),
        hosted_connected=_connected(reader.live(found.hosted)) if found.hosted else None,
        **(alive(vitals) if vitals else {}),
        **found.numbers,
    )
    facts = Facts(
        health=health,
        now=now,
        stored=found,
        runs=reader.runs,
        database=error,
        redis=reader.trouble(),
        place=reader.place,
        incidents=reader.incidents(found.under_way),
        host_failures=reader.answer(hosting.failures) or (),
        vitals=vitals,
        clocks=reader.answer(clocks_with_redis) or (),
        share=reader.answer(overload.share) or 1.0,
        settings=settings,
    )
    return ArenaState(health, findings(facts), live, found.bots, error, found.silence)


def findings(facts: Facts) -> tuple[Finding, ...]:
    """The findings of all checks that apply."""
    checks = CHECKS if facts.runs else (check_database, check_running)
    return tuple(consequences(chain.from_iterable(check(facts) for check in checks)))


def _connected(live: Live) -> int | None:
    return sum(each.connected for each in live.connected.values()) if live.known else None


def patiently(ask: Callable[[], Answer], seconds: float = PATIENCE_S) -> Answer:
    """Calls `ask` in a thread and returns its result. Raises the errors of `ask`, and Unavailable
    if it takes longer than `seconds`.

    A frozen server keeps its connections open and never answers. While a thread waits for it, no
    other one is started.
    """
    _stuck[:] = [thread for thread in _stuck if thread.is_alive()]
    answer = Future[Answer]()

    def run() -> None:
        try:
            answer.set_result(ask())
        except BaseException as error:
            answer.set_exception(error)

    if not _stuck:
        thread = threading.Thread(target=run, daemon=True, name="health")
        thread.start()
        thread.join(seconds)
        if thread.is_alive():
            _stuck.append(thread)
    if not answer.done():
        raise Unavailable(f"The database did not answer within {seconds:g} s.", AWAY)
    return answer.result()

"""The database, Redis and control service of an application.

A request has at most one database connection at a time. Nested reads, such as loading the signed-in
account, share the connection and its snapshot. It is returned at the end of the outermost block, so
no connection is held while a request waits for something else, and reads after a write see its
result.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial

import redis
import structlog
from flask import current_app, g, has_app_context
from sqlalchemy import Connection

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.service.control.service import ControlService
from arena.service.forecast import NOBODY, LivePace, seen
from arena.service.live.reader import Live, LiveReader
from arena.store import Store
from arena.store.engine import WRITING
from arena.store.registry.audit_log import Actor
from arena.store.writable import Verdict, verdict

log = structlog.get_logger(__name__)

PROBE_EVERY_S = 5.0  # minimum interval between checks whether the database is writable


class Probe:
    """A check whether the database is writable, shared by all threads of a process: one checks, the
    others get the last result."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._verdict: Verdict = None
        self._tried = float("-inf")
        self._turn = threading.Lock()

    def look(self) -> Verdict:
        """Return the result of the latest check, None if unknown. It uses a separate connection, so
        call it without holding one."""
        if time.monotonic() - self._tried > PROBE_EVERY_S and self._turn.acquire(blocking=False):
            try:
                self._try()
            finally:
                self._turn.release()
        return self._verdict

    def _try(self) -> None:
        before, current = self._verdict, verdict(self._store)
        self._tried = time.monotonic()
        if current is None:  # busy: keep the previous result
            return
        self._verdict = current
        if current != "ok" and current != before:
            log.error("the database is not writable", reason=current)
        elif before not in (None, "ok", current):
            log.info("the database is writable again")


class Sources:
    """The database, Redis and control service of one arena. Thread-safe."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        client: redis.Redis | None,
        actor: Callable[[], Actor | None] = lambda: None,
    ) -> None:
        """`actor` returns the sender of the current request, for the audit log."""
        self.settings, self.actor = settings, actor
        self.store = Database(store)
        self._redis = client
        self.reader = LiveReader(client)
        # The same actions as on the command line and over gRPC.
        self.control = ControlService(
            self.store,
            settings.redis_url if client is not None else None,
            settings.in_flight,
            settings.bench_after,
            actor=actor,
        )
        self.probe = Probe(store)

    def read(self) -> AbstractContextManager[Connection]:
        """Return a connection for reading. Raises Unavailable."""
        return self.store.read()

    def live(self, players: Iterable[int]) -> Live:
        """Return the connections of these players; `known` is False if Redis does not answer."""
        return self.reader.live(players)

    def seen(self, players: Iterable[int]) -> LivePace:
        return self.reader.answer(partial(seen, players=list(players))) or NOBODY

    @property
    def redis(self) -> redis.Redis:
        """Redis, for pages that require it. Raises Unavailable if the arena is not running."""
        if self._redis is None:
            raise Unavailable("The arena is not running. Start it with `arena up`.")
        return self._redis


def sources() -> Sources:
    extension = current_app.extensions["arena"]
    assert isinstance(extension, Sources)
    return extension


@dataclass
class RequestConnection:
    """The current connection of a request."""

    conn: Connection | None = None
    refused: Unavailable | None = None  # why no connection was available


class Database:
    """A store for the requests and threads of an application."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a connection for reading, shared within the request. Raises Unavailable."""
        held = _held()
        if held.conn is not None:
            yield held.conn
            return
        with _taken(held, self._store.read()) as conn:
            yield conn

    @contextmanager
    def write(self, limits: Mapping[str, int] = WRITING) -> Iterator[Connection]:
        """Yield a connection in a transaction, which nested reads share. Raises Unavailable. Raises
        RuntimeError within a read, because that would need a second connection."""
        held = _held()
        if held.conn is not None:
            raise RuntimeError("a request must finish reading before it writes")
        with _taken(held, self._store.write(limits)) as conn:
            yield conn


def _held() -> RequestConnection:
    """Return the state of the current request; a new one outside of requests, as in threads."""
    if not has_app_context():
        return RequestConnection()
    held: RequestConnection = g.setdefault("database", RequestConnection())
    return held


@contextmanager
def _taken(
    held: RequestConnection, opened: AbstractContextManager[Connection]
) -> Iterator[Connection]:
    if held.refused:  # otherwise the error page would wait again to load the account
        raise held.refused
    with ExitStack() as stack:
        try:
            held.conn = stack.enter_context(opened)
        except Unavailable as error:
            held.refused = error
            raise
        try:
            yield held.conn
        finally:
            held.conn = None

"""The two ways of using a database: reading, and writing in one transaction."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    DisconnectionError,
    InterfaceError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry

from arena.base.errors import InvalidRequest, Unavailable
from arena.store import schema
from arena.store.database_error import is_lost, unavailable
from arena.store.tables import MATCH_TABLES

CONNECTIONS = 15  # that a process opens at most, where nothing else is said
KEPT_OPEN = 5  # the others are closed when they are not in use
WAIT_S = 30.0  # how long one is waited for while all are in use
CACHE_KB = 16_000  # of a SQLite connection; taken as pages are read
BUSY_S = 30  # how long a writer waits for another one's transaction (SQLite)
CONNECT_S = 5  # how long a PostgreSQL server may take to accept a connection

# PostgreSQL ends what takes longer: a lock that somebody keeps, a process that stands still in the
# middle of a transaction, or a host that is gone must not stop everybody else. Milliseconds.
LOCK_MS = 10_000  # waiting for a lock
STATEMENT_MS = 300_000  # one statement
IDLE_MS = 300_000  # between two statements of a transaction: some calculate meanwhile
IDLE_WRITING_MS = 15_000  # the same of one that may hold locks
LIMITS = {
    "lock_timeout": LOCK_MS,
    "statement_timeout": STATEMENT_MS,
    "idle_in_transaction_session_timeout": IDLE_MS,
}
# Of one transaction.
WRITING = {"idle_in_transaction_session_timeout": IDLE_WRITING_MS}
HURRIED = {**WRITING, "lock_timeout": 1_000}  # others wait for whoever runs it
SHARED = {**WRITING, "lock_timeout": 3_000}  # the same, where locks are waited for now and then
PATIENT = dict.fromkeys(LIMITS, 0)  # makes or compares everything that follows from matches
TCP = {
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}

READ_ONLY_S = 2.0  # how long a connection that refuses writes is kept for reading

CHECK_S = 2.0  # readers look so often whether the schema is still theirs; writers do each time

OPTION = "arena_store"  # of a connection: whose it is
BUSY = (
    "All connections to the database are in use at the moment: try again in a few seconds. If "
    "this goes on, there is more to do than this process can do, or the database is slow."
)

_numbers = count()


class Connections(Protocol):
    """What asks the database needs of it: a connection to read, and one to write."""

    def read(self) -> AbstractContextManager[Connection]:
        """A connection for reading. Raises Unavailable if the database cannot be used."""

    def write(self, limits: Mapping[str, int] = WRITING) -> AbstractContextManager[Connection]:
        """A connection in a transaction. Raises Unavailable if the database cannot be used."""


class Store:
    """A database, for as many threads and forked processes as like.

    It works on one version of the schema only, `version`, and raises SchemaMismatch on another,
    also if the database is migrated while it is open. None takes any: for who migrates it.
    """

    def __init__(
        self,
        url: URL,
        version: str | None = None,
        connections: int = CONNECTIONS,
        wait_s: float = WAIT_S,
        archive: Path | None = None,
    ) -> None:
        """Of each process at most so many connections, and so long is one waited for. `archive` is
        the folder of the files with older matches; without one it is beside the database's file."""
        self.url = url
        self.archive = archive or _beside(url)
        self.version = version
        # Names the database in this process's caches, where its URL would bring the password.
        self.identity = f"store {next(_numbers)}"
        self._connections, self._wait_s = connections, wait_s
        self._checked = float("-inf")
        self._engine: Engine | None = None
        self._pid = 0
        self._inherited: list[Engine] = []
        self._making = threading.Lock()

    @property
    def engine(self) -> Engine:
        """This process's engine.

        A connection must not be used, nor closed, by a forked child: where there is one
        from the parent, it is kept but left alone.
        """
        with self._making:
            if self._engine is None or self._pid != os.getpid():
                if self._engine is not None:
                    self._inherited.append(self._engine)
                self._engine, self._pid = self._make_engine(), os.getpid()
            return self._engine

    def _make_engine(self) -> Engine:
        engine = make_engine(self.url, self._connections, self._wait_s)
        engine.update_execution_options(**{OPTION: self})
        return engine

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading. Raises Unavailable if the database cannot be used."""
        with self._explained(), self.engine.connect() as conn:
            self._check_now_and_then(conn)
            yield conn

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection for reading, which sees the database as it was at its first look."""
        with self._explained(), self.engine.connect() as conn:
            if conn.dialect.name == "postgresql":  # SQLite reads so anyway
                conn = conn.execution_options(
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
                _keep_months(conn)
                _limit(conn, PATIENT)
            self._check_now_and_then(conn)
            yield conn

    @contextmanager
    def write(self, limits: Mapping[str, int] = WRITING) -> Iterator[Connection]:
        """A connection in a transaction: all of it is stored, or after an error nothing.

        `limits` are what PostgreSQL is to end it for: WRITING, HURRIED or PATIENT.
        Raises Unavailable if the database cannot be used; trying again is then sound.
        """
        with (
            self._explained(),
            self.engine.connect().execution_options(arena_writes=True) as conn,
            conn.begin(),
        ):
            if conn.dialect.name == "postgresql":
                _limit(conn, limits)
            self._check(conn, writing=True)
            yield conn

    def check(self) -> None:
        """Raises SchemaMismatch if the database is of another release by now, and Unavailable."""
        with self._explained(), self.engine.connect() as conn:
            self._check(conn)

    def dispose(self) -> None:
        """Closes this process's connections, one in use as soon as it is given back; a later use
        opens new ones."""
        with self._making:
            if self._engine is not None and self._pid == os.getpid():
                event.listen(self._engine.pool, "checkin", _close)
                self._engine.dispose()
                self._engine = None

    def _check_now_and_then(self, conn: Connection) -> None:
        if time.monotonic() - self._checked > CHECK_S:
            self._check(conn)

    def _check(self, conn: Connection, *, writing: bool = False) -> None:
        if self.version is not None:
            schema.check(conn, self.version, writing=writing)
            self._checked = time.monotonic()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            # A server that ends a session which stood still calls that an internal error.
            lost = error.connection_invalidated
            if not lost and not isinstance(error, (OperationalError, InterfaceError)):
                raise
            raise unavailable(error.orig, place(self.url)) from error
        except PoolTimeout as error:
            raise Unavailable(BUSY) from error


def store_of(conn: Connection) -> Store:
    """The store that gave this connection."""
    store = conn.get_execution_options()[OPTION]
    assert isinstance(store, Store)
    return store


def parse_url(url: str) -> URL:
    """The URL with the driver that the arena uses. Raises InvalidRequest."""
    example = "A database URL looks like sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME."
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise InvalidRequest(f"The database URL cannot be read. {example}") from None
    if "@" in (parsed.host or ""):
        # The rest of the password is taken for the host, and would be shown with it.
        raise InvalidRequest("A password in a database URL has to be quoted: write @ as %40.")
    kind = parsed.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    if kind == "sqlite" and parsed.database and parsed.database != ":memory:":
        return parsed.set(drivername="sqlite+pysqlite")
    raise InvalidRequest(f"There is no store for {kind} with that URL. {example}")


def make_engine(url: URL, connections: int, wait_s: float) -> Engine:
    """An engine set up for what the arena needs of that database."""
    kept_open = min(KEPT_OPEN, connections)
    pool = {
        "pool_size": kept_open,
        "max_overflow": connections - kept_open,
        "pool_timeout": wait_s,
        "hide_parameters": True,  # errors are logged; digests of tokens and passwords are not
    }
    if url.get_backend_name() == "postgresql":
        # What the URL says comes last, and so counts.
        url_options = url.query.get("options", "")
        limits = " ".join(f"-c {name}={value}" for name, value in LIMITS.items())
        connect_args = {
            "connect_timeout": CONNECT_S,
            "options": f"{limits} {url_options}".strip(),
            **TCP,
        }
        engine = create_engine(url, connect_args=connect_args, pool_pre_ping=True, **pool)
        event.listen(engine, "connect", _note_opened)
        event.listen(engine, "checkout", _replace_read_only)
        event.listen(engine, "handle_error", _drop_lost)
        return engine
    engine = create_engine(url, connect_args={"timeout": BUSY_S}, **pool)
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _note_opened(_: Any, entry: ConnectionPoolEntry) -> None:
    entry.info["opened"] = time.monotonic()


def _replace_read_only(connection: Any, entry: ConnectionPoolEntry, _: object) -> None:
    """Has the pool open another connection where the server of this one refuses writes: after a
    switchover it was the primary, and readers would see it fall behind.

    PostgreSQL 14 and newer report this with their answer to the pool's ping.
    """
    status = connection.pgconn.parameter_status
    read_only = b"on" in (status(b"in_hot_standby"), status(b"default_transaction_read_only"))
    if read_only and time.monotonic() - entry.info["opened"] > READ_ONLY_S:
        raise DisconnectionError


def _drop_lost(context: ExceptionContext) -> None:
    """Drops all connections after an error that others may not have; but a snapshot refuses writes
    on its own."""
    conn = context.connection
    snapshot = conn is not None and conn.get_execution_options().get("postgresql_readonly")
    if is_lost(context.original_exception) and not snapshot:
        context.is_disconnect = True


def _keep_months(conn: Connection) -> None:
    """Lets nobody archive a month while this transaction lasts: the tables of a month that go are
    gone for older snapshots, too. A lock that is taken before the first query is older than they.
    """
    try:
        names = ", ".join(table.name for table in MATCH_TABLES)
        conn.exec_driver_sql(f"LOCK TABLE {names} IN ACCESS SHARE MODE")
    except ProgrammingError:  # no such tables: the check of the schema says what is wrong
        conn.rollback()


def _beside(url: URL) -> Path:
    file = url.database if url.get_backend_name() == "sqlite" else None
    return (Path(file).parent if file else Path(".arena")) / "archive"


def _limit(conn: Connection, limits: Mapping[str, int]) -> None:
    """Limits this transaction."""
    calls = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in limits.items())
    conn.exec_driver_sql(f"SELECT {calls}")


def _set_up_sqlite(connection: Any, _: ConnectionPoolEntry) -> None:
    # The driver would begin transactions by itself, and too late: only at the first change.
    connection.isolation_level = None
    # In WAL mode NORMAL loses at most the last transactions at a power failure, never the file.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    # With the 2 MB that are usual, a batch of results does not fit: pages are written out early
    # and read again.
    connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")


def _close(_: Any, entry: ConnectionPoolEntry) -> None:
    # The pool that it goes back to is nobody's any more.
    entry.invalidate()


def _begin_sqlite(conn: Connection) -> None:
    # A writer takes its turn at once; one that began as a reader could not wait for it.
    writes = conn.get_execution_options().get("arena_writes", False)
    conn.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def place(url: URL) -> str:
    """Where a database is, without its password and without options, which may hold one too; but
    with the servers that `host=` lists."""
    hosts = {name: value for name, value in url.query.items() if name == "host"}
    public = url.set(drivername=url.get_backend_name(), query=hosts)
    return public.render_as_string(hide_password=True)

"""A database, used in two ways: reading, and writing in one transaction."""

import os
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Protocol, Self

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DataError, DBAPIError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry

from arena.base.errors import InvalidRequest, Unavailable
from arena.store import schema, server_sessions
from arena.store.database_error import is_failure, unavailable
from arena.store.database_url import archive_folder, place
from arena.store.tables import MATCH_TABLES

CONNECTIONS = 15  # default maximum for a process
KEPT_OPEN = 5  # connections beyond these are closed when idle
WAIT_S = 30.0  # for a connection while all are in use
CACHE_KB = 16_000  # of a SQLite connection; filled as pages are read

# PostgreSQL ends anything that takes longer: a held lock, a stalled process in a transaction, or a
# lost host must not block all others. In milliseconds.
LOCK_MS = 10_000  # waiting for a lock; workers' leases last longer
STATEMENT_MS = 300_000  # one statement
IDLE_MS = 300_000  # between two statements of a transaction: some compute in between
IDLE_WRITING_MS = 15_000  # the same for transactions that may hold locks
LIMITS = {
    "lock_timeout": LOCK_MS,
    "statement_timeout": STATEMENT_MS,
    "idle_in_transaction_session_timeout": IDLE_MS,
}
# For one transaction.
WRITING = {"idle_in_transaction_session_timeout": IDLE_WRITING_MS}
HURRIED = {**WRITING, "lock_timeout": 1_000}  # others wait for this process
SHARED = {**WRITING, "lock_timeout": 3_000}  # the same, where waiting for locks is normal
PATIENT = dict.fromkeys(LIMITS, 0)  # recomputes or compares everything derived from matches
CONNECTION = {
    "connect_timeout": 5,  # seconds for the server to accept it
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}

BUSY_S = LOCK_MS / 1000  # for another writer's transaction (SQLite)

CHECK_S = 2.0  # between readers' checks of the schema version; writers check it each time

OPTION = "arena_store"  # of a connection: the store that opened it
BUSY = (
    "All connections to the database are in use. Try again in a few seconds. If this continues, "
    "the process is overloaded or the database is slow."
)

_numbers = count()


class Connections(Protocol):
    """Access to a database: connections for reading and for writing."""

    def read(self) -> AbstractContextManager[Connection]:
        """A connection for reading. Raises Unavailable if the database cannot be used."""

    def write(self, limits: Mapping[str, int] = WRITING) -> AbstractContextManager[Connection]:
        """A connection in a transaction. Raises Unavailable if the database cannot be used."""


class Store:
    """A database, usable from any number of threads and forked processes. At the end of a `with`
    block it is disposed.

    It works with schema version `version` only. With another one it raises SchemaMismatch, even if
    the database is migrated while it is open. None accepts any version, for migrations.
    """

    def __init__(
        self,
        url: URL,
        version: str | None = None,
        connections: int = CONNECTIONS,
        wait_s: float = WAIT_S,
        archive: Path | None = None,
    ) -> None:
        """`connections` is the maximum for each process, `wait_s` the time to wait for one.
        `archive` is the folder of archive files, by default next to the database file."""
        self.url = url
        self.archive = archive or archive_folder(url)
        self.version = version
        # Identifies the database in this process's caches. The URL contains the password.
        self.identity = f"store {next(_numbers)}"
        self._connections, self._wait_s = connections, wait_s
        self._checked = float("-inf")
        self._engine: Engine | None = None
        self._pid = 0
        self._inherited: list[Engine] = []
        self._making = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.dispose()

    @property
    def engine(self) -> Engine:
        """This process's engine. A forked child must neither use nor close a connection of its
        parent, so an inherited engine is kept but not touched."""
        with self._making:
            if self._engine is None or self._pid != os.getpid():
                if self._engine is not None:
                    self._inherited.append(self._engine)
                self._engine = make_engine(self.url, self._connections, self._wait_s)
                self._engine.update_execution_options(**{OPTION: self})
                self._pid = os.getpid()
            return self._engine

    @contextmanager
    def read(self, limits: Mapping[str, int] | None = None) -> Iterator[Connection]:
        """A connection for reading; `limits` are as in `write`. Raises Unavailable."""
        with self._explained(), self.engine.connect() as conn:
            if limits and conn.dialect.name == "postgresql":
                _limit(conn, limits)
            self._check_now_and_then(conn)
            yield conn

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection for reading, which sees the database as of its first query."""
        with self._explained(), self.engine.connect() as conn:
            if conn.dialect.name == "postgresql":  # SQLite always reads from a snapshot
                conn = conn.execution_options(
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
                _keep_months(conn)
                _limit(conn, PATIENT)
            self._check_now_and_then(conn)
            yield conn

    @contextmanager
    def write(self, limits: Mapping[str, int] = WRITING) -> Iterator[Connection]:
        """A connection in a transaction: everything is stored, or after an error nothing.

        `limits` are the time limits in PostgreSQL: WRITING, HURRIED, SHARED or PATIENT.
        Raises Unavailable if the database cannot be used; it is safe to try again then.
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
        """Raises SchemaMismatch if the database now has another version, and Unavailable."""
        with self._explained(), self.engine.connect() as conn:
            self._check(conn)

    def dispose(self) -> None:
        """Closes this process's connections; one in use is closed when it is returned. Later uses
        open new ones."""
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
            if isinstance(error, DataError) and re.search("NUL|0x00", str(error.orig)):
                raise InvalidRequest("The text contains a NUL character. Remove it.") from None
            if not is_failure(error):
                raise
            raise unavailable(error.orig, place(self.url)) from error
        except PoolTimeout as error:
            raise Unavailable(BUSY) from error


def store_of(conn: Connection) -> Store:
    """The store that opened this connection."""
    store = conn.get_execution_options()[OPTION]
    assert isinstance(store, Store)
    return store


def make_engine(url: URL, connections: int, wait_s: float) -> Engine:
    """Returns an engine with the arena's settings for this kind of database."""
    kept_open = min(KEPT_OPEN, connections)
    pool = {
        "pool_size": kept_open,
        "max_overflow": connections - kept_open,
        "pool_timeout": wait_s,
        "hide_parameters": True,  # keeps digests of tokens and passwords out of logged errors
    }
    if url.get_backend_name() == "postgresql":
        # Options of the URL come last, so they win.
        url_options = url.query.get("options", "")
        limits = " ".join(f"-c {name}={value}" for name, value in LIMITS.items())
        connect_args = {**CONNECTION, "options": f"{limits} {url_options}".strip()}
        engine = create_engine(url, connect_args=connect_args, pool_pre_ping=True, **pool)
        server_sessions.watch(engine)
        return engine
    engine = create_engine(url, connect_args={"timeout": BUSY_S}, **pool)
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _keep_months(conn: Connection) -> None:
    """Prevents archiving of months during this transaction, because tables dropped with a month
    disappear from older snapshots, too. The lock has to be taken before the first query."""
    try:
        names = ", ".join(table.name for table in MATCH_TABLES)
        conn.exec_driver_sql(f"LOCK TABLE {names} IN ACCESS SHARE MODE")
    except ProgrammingError:  # no such tables: the check of the schema explains that
        conn.rollback()


def _limit(conn: Connection, limits: Mapping[str, int]) -> None:
    calls = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in limits.items())
    conn.exec_driver_sql(f"SELECT {calls}")


def _set_up_sqlite(connection: Any, _: ConnectionPoolEntry) -> None:
    # The driver would start transactions automatically, and too late: at the first change.
    connection.isolation_level = None
    # In WAL mode, NORMAL loses at most the last transactions in a power failure, never the file.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    # The default of 2 MB is too small for a batch of results: pages would be written out early
    # and read again.
    connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")


def _close(_: Any, entry: ConnectionPoolEntry) -> None:
    # Its pool was disposed.
    entry.invalidate()


def _begin_sqlite(conn: Connection) -> None:
    # A writer queues for its turn at once; a transaction that started as a reader could not wait.
    writes = conn.get_execution_options().get("arena_writes", False)
    conn.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

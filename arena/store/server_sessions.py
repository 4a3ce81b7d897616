"""Sessions of a PostgreSQL server in the pool of an engine: which ones are replaced, and what they
may use."""

import time
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

from arena.store.database_error import is_lost

READ_ONLY_S = 2.0  # for which a connection that refuses writes is kept for reading


def watch(engine: Engine) -> None:
    """Applies the rules of this module to the connections of an engine."""
    event.listen(engine, "connect", _note_opened)
    event.listen(engine, "connect", _prepare_nothing_on_a_pooler)
    event.listen(engine, "checkout", _replace_read_only)
    event.listen(engine, "handle_error", _drop_lost)


def _note_opened(_: Any, entry: ConnectionPoolEntry) -> None:
    entry.info["opened"] = time.monotonic()


def _prepare_nothing_on_a_pooler(connection: Any, _: ConnectionPoolEntry) -> None:
    """Turns prepared statements off if a pooler such as PgBouncer answers instead of the server. It
    may use another session for each transaction, in which the same name is another statement.

    A pooler cannot know the server's process at the login, so it reports another number.
    """
    connection.autocommit = True  # saves the messages that begin and end a transaction
    process = connection.execute("SELECT pg_backend_pid()").fetchone()[0]
    connection.autocommit = False
    if process != connection.info.backend_pid:
        connection.prepare_threshold = None


def _replace_read_only(connection: Any, entry: ConnectionPoolEntry, _: object) -> None:
    """Makes the pool open another connection if the server of this one refuses writes. After a
    switchover it is no longer the primary and may fall behind.

    PostgreSQL 14 and newer report this in the answer to the pool's ping.
    """
    status = connection.pgconn.parameter_status
    read_only = b"on" in (status(b"in_hot_standby"), status(b"default_transaction_read_only"))
    if read_only and time.monotonic() - entry.info["opened"] > READ_ONLY_S:
        raise DisconnectionError


def _drop_lost(context: ExceptionContext) -> None:
    """Drops all connections after an error that a new connection may not have. A snapshot is
    read-only anyway."""
    conn = context.connection
    snapshot = conn is not None and conn.get_execution_options().get("postgresql_readonly")
    if is_lost(context.original_exception) and not snapshot:
        context.is_disconnect = True

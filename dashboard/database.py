"""Access to the database in requests, each of which has at most one connection at a time.

Nested reads, such as loading the signed-in account, share the connection and its snapshot. It is
returned at the end of the outermost block, so no connection is held while a request waits for
something else, and reads after a write see its result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager

from flask import g, has_app_context
from sqlalchemy import Connection

from arena.base.errors import Unavailable
from arena.store import Store
from arena.store.engine import WRITING

HELD = "database"


class RequestConnection:
    """The current connection of a request."""

    def __init__(self) -> None:
        self.conn: Connection | None = None
        self.refused: Unavailable | None = None  # why no connection was available


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
        """Yield a connection in a transaction, which nested reads share. Raises Unavailable.

        Raises RuntimeError within a read, because that would need a second connection.
        """
        held = _held()
        if held.conn is not None:
            raise RuntimeError("a request must finish reading before it writes")
        with _taken(held, self._store.write(limits)) as conn:
            yield conn


def _held() -> RequestConnection:
    """Return the state of the current request; a new one outside of requests, as in threads."""
    if not has_app_context():
        return RequestConnection()
    if HELD not in g:
        setattr(g, HELD, RequestConnection())
    held = getattr(g, HELD)
    assert isinstance(held, RequestConnection)
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

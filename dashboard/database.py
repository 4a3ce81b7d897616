"""The database as requests use it: each has one connection at a time, never a second one.

A view that reads may call what reads as well, down to the loader of the account that is signed in:
they share the connection, and what it sees. It is given back where the outermost block ends. So
nothing is held while a request waits for something else, and what is read after a write sees it.
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
    """What a request has of the database at this moment."""

    def __init__(self) -> None:
        self.conn: Connection | None = None
        self.refused: Unavailable | None = None  # why there was no connection


class Database:
    """A store, for the requests of an application and for its threads."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading: the request's own, if it has one. Raises Unavailable."""
        held = _held()
        if held.conn is not None:
            yield held.conn
            return
        with _taken(held, self._store.read()) as conn:
            yield conn

    @contextmanager
    def write(self, limits: Mapping[str, int] = WRITING) -> Iterator[Connection]:
        """A connection in a transaction; what is read meanwhile is read in it. Raises Unavailable.

        Not to be used while the request reads: it would wait for a second connection.
        """
        held = _held()
        if held.conn is not None:
            raise RuntimeError("a request is to write when it has ended reading")
        with _taken(held, self._store.write(limits)) as conn:
            yield conn


def _held() -> RequestConnection:
    """That of the present request; of its own each time outside of one, as in a thread."""
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
    if held.refused:  # the page that says so would wait once more, to know who is signed in
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

"""A cache of what takes long to make from the database, one for all stores of a process.

How old its values may be: `kept`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from sqlalchemy import Connection

from arena.store.cache import Cache
from arena.store.engine import store_of

Loaded = TypeVar("Loaded")
Value = TypeVar("Value")


class DatabaseCache(Generic[Value]):
    """At most so many values, by store and key."""

    def __init__(self, most: int) -> None:
        self._kept: Cache[Value] = Cache(most)

    def get(
        self,
        conn: Connection,
        key: tuple[Hashable, ...],
        version: Callable[[Connection], Hashable],
        load: Callable[[Connection], Loaded],
        finish: Callable[[Loaded], Value],
    ) -> Value:
        """The value for the present version of the data, or a former one's.

        It is made by `finish` from what `load` reads. Where that takes long, a thread does it
        with a connection of its own: it sees data and version of the same moment, and gives the
        connection back before it begins to calculate.
        """
        store = store_of(conn)

        def again() -> tuple[Hashable, Value]:
            with store.snapshot() as own:
                now, loaded = version(own), load(own)
            return now, finish(loaded)

        return self._kept.get(_of(conn, key), version(conn), lambda: finish(load(conn)), again)

    def slow(self, conn: Connection, key: tuple[Hashable, ...]) -> bool:
        """Whether there is a value that took long, so that it had better be made before somebody
        asks for it again."""
        return self._kept.slow(_of(conn, key))


def _of(conn: Connection, key: tuple[Hashable, ...]) -> Hashable:
    return store_of(conn).identity, *key

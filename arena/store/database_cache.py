"""A cache of slow values from the database, shared by all stores of a process.

See `cache` for the age of its values.
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
    """Up to `most` values, by store and key."""

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
        """The value for the current version of the data, or an older one.

        `finish` computes it from the result of `load`. If that is slow, a thread does it with its
        own connection, which reads version and data in one snapshot and is returned before the
        computation.
        """
        store = store_of(conn)

        def again() -> tuple[Hashable, Value]:
            with store.snapshot() as own:
                now, loaded = version(own), load(own)
            return now, finish(loaded)

        return self._kept.get(_of(conn, key), version(conn), lambda: finish(load(conn)), again)

    def slow(self, conn: Connection, key: tuple[Hashable, ...]) -> bool:
        """Whether there is a value that was slow to compute, so that it should be recomputed before
        the next request."""
        return self._kept.slow(_of(conn, key))


def _of(conn: Connection, key: tuple[Hashable, ...]) -> Hashable:
    return store_of(conn).identity, *key

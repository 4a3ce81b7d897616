"""The store from a loop that must not wait: each call in a thread, and a transaction of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

from arena.store import Store

T = TypeVar("T")


class StoreCalls:
    """Reading and writing; raises what the calls raise."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def read(self, what: Callable[[Connection], T]) -> T:
        """What this gives, from one snapshot."""

        def read() -> T:
            with self._store.read() as conn:
                return what(conn)

        return await asyncio.to_thread(read)

    async def write(self, what: Callable[[Connection], T]) -> T:
        """What this gives; all that it changes is kept, or nothing if it raises."""

        def write() -> T:
            with self._store.write() as conn:
                return what(conn)

        return await asyncio.to_thread(write)

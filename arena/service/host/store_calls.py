"""Calls the store from an event loop: each call in a thread and in a separate transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

from arena.store import Store

T = TypeVar("T")


class StoreCalls:
    """Runs functions on the store. Raises their errors."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def read(self, what: Callable[[Connection], T]) -> T:
        """Return the result of a function that reads from one snapshot."""

        def read() -> T:
            with self._store.read() as conn:
                return what(conn)

        return await asyncio.to_thread(read)

    async def write(self, what: Callable[[Connection], T]) -> T:
        """Return the result of a function in one transaction, which is rolled back if it raises."""

        def write() -> T:
            with self._store.write() as conn:
                return what(conn)

        return await asyncio.to_thread(write)

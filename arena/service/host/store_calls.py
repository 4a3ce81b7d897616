"""Calls the store from an event loop: each call in a thread and in a separate transaction."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
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
        return await asyncio.to_thread(_within, self._store.read, what)

    async def write(self, what: Callable[[Connection], T]) -> T:
        """Return the result of a function in one transaction, which is rolled back if it raises."""
        return await asyncio.to_thread(_within, self._store.write, what)


def _within(
    transaction: Callable[[], AbstractContextManager[Connection]], what: Callable[[Connection], T]
) -> T:
    with transaction() as conn:
        return what(conn)

"""A cache for values that take long to compute from the database.

A value belongs to a *version* of the data. When the version changes, a quick value is recomputed at
once. For a slow value the cache returns the old one, while a thread computes the new one, for at
most a tenth of the time. So callers rarely wait, and a value may be a few seconds old. A value that
is too old because it was rarely used is recomputed before it is returned.

Cache libraries use the age of a value instead. Around dogpile.cache, whose memory backend has no
limit, all of this and the pause after a failure would still be ours; cachetools would only replace
the order of keys.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from weakref import WeakSet

import structlog
from sqlalchemy import Connection

from arena.base.errors import ArenaError
from arena.store.engine import store_of

log = structlog.get_logger(__name__)

Value = TypeVar("Value")
Loaded = TypeVar("Loaded")

QUICK_S = 0.5  # a value that takes no longer is recomputed at each change
REST = 9  # pause before recomputing a slow value, in multiples of its duration
AGAIN_S = 5.0  # pause after a failed attempt
OLD_S = 60.0  # maximum age of returned values, or twice the recomputing interval if that is longer


@dataclass(frozen=True)
class _Made(Generic[Value]):
    value: Value
    version: Hashable
    seconds: float  # duration of the computation
    began: float  # monotonic clock

    @property
    def age(self) -> float:
        """Seconds since its computation started."""
        return time.monotonic() - self.began

    @property
    def quick(self) -> bool:
        return self.seconds <= QUICK_S

    @property
    def rested(self) -> bool:
        return self.age > (REST + 1) * self.seconds

    @property
    def old(self) -> bool:
        return self.age > max(OLD_S, 2 * (REST + 1) * self.seconds)


_all: WeakSet[Cache[Any]] = WeakSet()


def forget_all() -> None:
    """Clears all caches, for use after the database was replaced."""
    for each in _all:
        each.forget()


class Cache(Generic[Value]):
    """Up to `most` values by key; the least recently used one is dropped first. Safe for threads. A
    value that several threads request at once is computed once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[Hashable, _Made[Value]] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._failed: dict[Hashable, float] = {}  # time of the last failure, monotonic clock
        self._lock = threading.Lock()
        _all.add(self)

    def get(
        self,
        key: Hashable,
        version: Hashable,
        make: Callable[[], Value],
        again: Callable[[], tuple[Hashable, Value]] | None = None,
    ) -> Value:
        """The value for this version of the data, or an older one.

        `again` recomputes a slow value in a separate thread. It must not use the caller's
        connection, so it returns the version it has read as well. Without it, callers wait.
        """
        known = self._look(key)
        if known is not None and known.version == version:
            return known.value
        if known is None or again is None or known.quick or known.old:
            return self._wait_for(key, version, make)
        if known.rested and time.monotonic() > self._failed.get(key, -math.inf) + AGAIN_S:
            self._begin(key, again)
        return known.value

    def slow(self, key: Hashable) -> bool:
        """Whether there is a value that was slow to compute, so that it should be recomputed before
        the next request."""
        known = self._look(key)
        return known is not None and not known.quick

    def forget(self) -> None:
        """Clears the cache after waiting for running computations, which read the old data."""
        with self._lock:
            making = list(self._making.values())
        for turn in making:
            with turn:
                pass
        with self._lock:
            self._made.clear()

    def _look(self, key: Hashable) -> _Made[Value] | None:
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
            return self._made.get(key)

    def _wait_for(self, key: Hashable, version: Hashable, make: Callable[[], Value]) -> Value:
        with self._turn(key):
            known = self._look(key)
            if known is not None and known.version == version:  # computed while this thread waited
                return known.value
            began = time.monotonic()
            value = make()
            self._keep(key, _Made(value, version, time.monotonic() - began, began))
            return value

    def _begin(self, key: Hashable, again: Callable[[], tuple[Hashable, Value]]) -> None:
        turn = self._turn(key)
        if turn.acquire(blocking=False):  # otherwise it is already being computed
            threading.Thread(target=self._renew, args=(key, again, turn), daemon=True).start()

    def _renew(
        self,
        key: Hashable,
        again: Callable[[], tuple[Hashable, Value]],
        turn: threading.Lock,
    ) -> None:
        try:
            began = time.monotonic()
            version, value = again()
            self._keep(key, _Made(value, version, time.monotonic() - began, began))
        except ArenaError as error:
            self._failed[key] = time.monotonic()
            # The old value is used until another attempt succeeds.
            log.warning("cannot recompute a cached value", key=str(key), error=str(error))
        except Exception:
            # The outermost function of a thread.
            self._failed[key] = time.monotonic()
            log.exception("cannot recompute a cached value", key=str(key))
        finally:
            turn.release()

    def _turn(self, key: Hashable) -> threading.Lock:
        with self._lock:
            return self._making.setdefault(key, threading.Lock())

    def _keep(self, key: Hashable, made: _Made[Value]) -> None:
        with self._lock:
            self._made[key] = made
            self._made.move_to_end(key)
            self._failed.pop(key, None)
            while len(self._made) > self._most:
                gone, _ = self._made.popitem(last=False)
                self._making.pop(gone, None)
                self._failed.pop(gone, None)


class DatabaseCache(Generic[Value]):
    """Up to `most` values from databases, by store and key, shared by all stores of a process."""

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

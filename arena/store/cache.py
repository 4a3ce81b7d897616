"""Values that take long to make from the database, kept in memory while they are true.

Each value is of a *version* of the data: as long as that is the same, the value is. When it has
changed, a value that is made quickly is made at once; of one that takes long the old one is given
meanwhile, while a thread makes the new one, though in a tenth of the time at most. So nobody waits
for what somebody has seen a moment ago, and an answer may be some seconds old. One that was not
asked for for a while would be older than that: whoever asks then waits for the new one.

By hand, since libraries go by a value's age. Around dogpile.cache, whose memory backend has no
limit either, all of the above and the pause after a failure would still be ours, and cachetools
would replace the order of keys alone.
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

from arena.base.errors import ArenaError

log = structlog.get_logger(__name__)

Value = TypeVar("Value")

QUICK_S = 0.5  # what takes no longer is made whenever it is not up to date
REST = 9  # of what takes longer: how many times its duration it is not made again
AGAIN_S = 5.0  # after an attempt that failed
OLD_S = 60.0  # nothing older is given, or than twice the time within which it is made again


@dataclass(frozen=True)
class _Made(Generic[Value]):
    value: Value
    version: Hashable
    seconds: float  # that making it took
    began: float  # monotonic clock

    @property
    def age(self) -> float:
        """Seconds since it was begun."""
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
    """Empties everything that is kept: for who puts another database in the place of one."""
    for each in _all:
        each.forget()


class Cache(Generic[Value]):
    """At most so many values by key; the one that was not asked for for longest goes first.

    For all threads of a process; what several ask for at once is made once.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[Hashable, _Made[Value]] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._failed: dict[Hashable, float] = {}  # when it last did, monotonic clock
        self._lock = threading.Lock()
        _all.add(self)

    def get(
        self,
        key: Hashable,
        version: Hashable,
        make: Callable[[], Value],
        again: Callable[[], tuple[Hashable, Value]] | None = None,
    ) -> Value:
        """The value for this version of the data, or a former one's.

        `again` makes it in a thread of its own, where `make` would take long: it must not use the
        caller's connection, so it says which version it found. Without it whoever asks waits.
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
        """Whether there is a value that took long, so that it had better be made before somebody
        asks for it again."""
        known = self._look(key)
        return known is not None and not known.quick

    def forget(self) -> None:
        """Empties it, when nobody makes anything any more: that would be as old as the rest."""
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
            if known is not None and known.version == version:  # made while this one waited
                return known.value
            began = time.monotonic()
            value = make()
            self._keep(key, _Made(value, version, time.monotonic() - began, began))
            return value

    def _begin(self, key: Hashable, again: Callable[[], tuple[Hashable, Value]]) -> None:
        turn = self._turn(key)
        if turn.acquire(blocking=False):  # else somebody is at it
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
            # The old value is given until another attempt succeeds.
            log.warning("cannot bring up to date what is kept", key=str(key), error=str(error))
        except Exception:
            # The edge of a thread.
            self._failed[key] = time.monotonic()
            log.exception("cannot bring up to date what is kept", key=str(key))
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

"""Wrong passwords are counted, right ones are not: a classroom signs in, a guesser waits.

An attempt is counted before the password is looked at and taken back if it was right, so that
many at once are not more. Counted is

    a name from one address     first slowed down, then refused for an hour
    an address, for all names   so many times what one person may who may sit behind it
    a name from everywhere      many addresses together do not guess on without end

A browser in which the account was signed in before (`browsers`) is counted by itself: whoever
guesses elsewhere, or beside it in the same classroom, does not lock its owner out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import redis
import structlog
from flask import Flask, current_app
from limits import RateLimitItem, parse_many
from limits.storage import MemoryStorage, RedisStorage, Storage
from limits.strategies import FixedWindowRateLimiter

log = structlog.get_logger(__name__)

OF_NAME_HERE = parse_many("5 per minute; 20 per hour")
OF_NAME = parse_many("100 per hour")
OF_PERSON_HERE = parse_many("2 per minute; 6 per hour")

PREFIX = "arena:limits"
PAUSE_S = 3.0  # a Redis that did not answer is left in peace for so long

BY_NAME = "Too many wrong passwords for this name: try again in {wait}."
BY_NAME_ELSEWHERE = (
    "Too many wrong passwords for this name, from many places: try again in {wait}, or in a "
    "browser in which you have signed in before."
)
BY_ADDRESS = "Too many wrong passwords from your address: try again in {wait}."


@dataclass(frozen=True)
class Count:
    """One thing that is counted, and what is said where there was too much of it."""

    item: RateLimitItem
    key: str
    sentence: str


@dataclass(frozen=True)
class LockedOut:
    """Why an attempt is not made, and in how many seconds it may be."""

    sentence: str
    wait_s: int


@dataclass(frozen=True)
class Attempt:
    """An attempt to sign in: the name, the address, and the browser if it knows the account."""

    name: str
    address: str
    browser: str
    people: int  # who may be behind the address

    def counts(self) -> list[Count]:
        """All that it is counted for."""
        name = self.name.lower()[:40]
        where = f"browser {self.browser}" if self.browser else f"address {self.address}"
        here = [Count(item, f"{name} {where}", BY_NAME) for item in OF_NAME_HERE]
        if self.browser:
            return here
        shared = [_times(item, self.people) for item in OF_PERSON_HERE]
        around = [Count(item, f"address {self.address}", BY_ADDRESS) for item in shared]
        return [*here, *around, *(Count(item, name, BY_NAME_ELSEWHERE) for item in OF_NAME)]


class Failures:
    """Counts in memory, and in Redis for all dashboards together where there is one.

    Memory counts all the same, so that no count begins anew when Redis goes away.
    """

    def __init__(self, client: redis.Redis | None) -> None:
        self._counted: list[FixedWindowRateLimiter] = [_limiter(MemoryStorage())]
        if client is not None:
            pool = client.connection_pool
            storage = RedisStorage("redis://", connection_pool=pool, key_prefix=PREFIX)
            self._counted.append(_limiter(storage))
        self._silent_until = 0.0

    def charge(self, attempt: Attempt) -> LockedOut | None:
        """Counts an attempt; where there were too many, why and for how long: then it is not."""
        charged: list[Count] = []
        refused: list[LockedOut] = []
        for count in attempt.counts():
            wait_s = max([self._hit(limiter, count) for limiter in self._there()])
            charged.append(count)
            if wait_s:
                refused.append(LockedOut(count.sentence.format(wait=in_words(wait_s)), wait_s))
        if refused:
            self._give_back(charged)
        return max(refused, key=lambda refusal: refusal.wait_s, default=None)

    def forgive(self, attempt: Attempt) -> None:
        """The password was right: the attempt counts for nothing."""
        self._give_back(attempt.counts())

    def _there(self) -> Sequence[FixedWindowRateLimiter]:
        return self._counted[:1] if time.monotonic() < self._silent_until else self._counted

    def _hit(self, limiter: FixedWindowRateLimiter, count: Count) -> int:
        """Counts one more; 0, or the seconds to wait if that is one too many."""
        try:
            if limiter.hit(count.item, count.key):
                return 0
            reset = limiter.get_window_stats(count.item, count.key).reset_time
            return max(1, math.ceil(reset - time.time()))
        except redis.RedisError as error:
            self._pause(error)
            return 0

    def _give_back(self, counts: Sequence[Count]) -> None:
        for count in counts:
            for limiter in self._there():
                try:
                    limiter.hit(count.item, count.key, cost=-1)
                except redis.RedisError as error:
                    self._pause(error)

    def _pause(self, error: redis.RedisError) -> None:
        log.warning("wrong passwords are counted without Redis", error=str(error))
        self._silent_until = time.monotonic() + PAUSE_S


def register(app: Flask, client: redis.Redis | None) -> None:
    """Gives the application its counts."""
    app.extensions["failures"] = Failures(client)


def failures() -> Failures:
    """The counts of the application that answers the present request."""
    counts = current_app.extensions["failures"]
    assert isinstance(counts, Failures)
    return counts


def in_words(seconds: int) -> str:
    """A time to wait, rounded up: "40 seconds", "7 minutes"."""
    if seconds < 90:
        return f"{seconds} second{'s' if seconds != 1 else ''}"
    return f"{math.ceil(seconds / 60)} minutes"


def _times(item: RateLimitItem, people: int) -> RateLimitItem:
    return type(item)(item.amount * people, item.multiples)


def _limiter(storage: Storage) -> FixedWindowRateLimiter:
    return FixedWindowRateLimiter(storage)

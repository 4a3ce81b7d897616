"""Rate limits on wrong passwords. Right passwords do not count, so a whole class can sign in.

An attempt is counted before the password is checked, and uncounted if it was right, so that
parallel attempts cannot exceed the limit. There are limits for

    a name from one address      slowed down first, then refused for an hour
    an address, for all names    the limit of one person times the people behind the address
    a name from all addresses    limits guessing from many addresses

A browser that has signed in to the account before (`browsers`) has its own limit, so guesses from
other browsers, even from the same address, do not lock its owner out.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import redis
import structlog
from flask import Flask, current_app
from limits import RateLimitItem, parse_many
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import FixedWindowRateLimiter

from arena.base.text import plural

log = structlog.get_logger(__name__)

OF_NAME_HERE = parse_many("5 per minute; 20 per hour")
OF_NAME = parse_many("100 per hour")
OF_PERSON_HERE = parse_many("2 per minute; 6 per hour")

PREFIX = "arena:limits"
PAUSE_S = 3.0  # without Redis after an error

BY_NAME = "Too many wrong passwords for this name. Try again in {wait}."
BY_NAME_ELSEWHERE = (
    "Too many wrong passwords for this name, from many places. Try again in {wait}, or use a "
    "browser in which you have signed in before."
)
BY_ADDRESS = "Too many wrong passwords from your address. Try again in {wait}."


@dataclass(frozen=True)
class Count:
    """A limit, the key it counts, and the error when it is exceeded."""

    item: RateLimitItem
    key: str
    sentence: str


@dataclass(frozen=True)
class LockedOut:
    """Why an attempt is refused, and the seconds until it is allowed."""

    sentence: str
    wait_s: int


@dataclass(frozen=True)
class SignInAttempt:
    """An attempt to sign in; `browser` is "" if it has not signed in to the account before."""

    name: str
    address: str
    browser: str
    people: int  # assumed to share the address

    def counts(self) -> list[Count]:
        name = self.name.lower()[:40]
        where = f"browser {self.browser}" if self.browser else f"address {self.address}"
        here = [Count(item, f"{name} {where}", BY_NAME) for item in OF_NAME_HERE]
        if self.browser:
            return here
        shared = [type(item)(item.amount * self.people, item.multiples) for item in OF_PERSON_HERE]
        around = [Count(item, f"address {self.address}", BY_ADDRESS) for item in shared]
        return [*here, *around, *(Count(item, name, BY_NAME_ELSEWHERE) for item in OF_NAME)]


class Failures:
    """Counts in memory, and in Redis (if configured) for all dashboards together. Memory counts in
    both cases, so that counts do not restart when Redis is down."""

    def __init__(self, client: redis.Redis | None) -> None:
        self._counted = [FixedWindowRateLimiter(MemoryStorage())]
        if client is not None:
            pool = client.connection_pool
            storage = RedisStorage("redis://", connection_pool=pool, key_prefix=PREFIX)
            self._counted.append(FixedWindowRateLimiter(storage))
        self._silent_until = 0.0

    def charge(self, attempt: SignInAttempt) -> LockedOut | None:
        """Count an attempt. If a limit is exceeded, return the refusal and do not count it."""
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

    def forgive(self, attempt: SignInAttempt) -> None:
        self._give_back(attempt.counts())

    def _there(self) -> Sequence[FixedWindowRateLimiter]:
        return self._counted[:1] if time.monotonic() < self._silent_until else self._counted

    def _hit(self, limiter: FixedWindowRateLimiter, count: Count) -> int:
        """Count an attempt. Return 0, or the seconds to wait if the limit is exceeded."""
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
    app.extensions["failures"] = Failures(client)


def failures() -> Failures:
    counts = current_app.extensions["failures"]
    assert isinstance(counts, Failures)
    return counts


def in_words(seconds: int) -> str:
    """Return a waiting time, rounded up: "40 seconds", "7 minutes"."""
    if seconds < 90:
        return plural(seconds, "second")
    return f"{math.ceil(seconds / 60)} minutes"

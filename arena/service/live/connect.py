"""Connections to Redis, tried out before they are handed over."""

from __future__ import annotations

import re

import redis
import redis.asyncio
import redis.asyncio.retry
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.retry import Retry

from arena.base.errors import Unavailable
from arena.service.live.redis_error import explain

# No command of ours blocks for longer than this; a Redis silent for so long is gone.
SOCKET_TIMEOUT_S = 10.0
LONGEST_WAIT_S = 5.0
IMPATIENT_S = 1.0  # a page that cannot tell who is connected is better than one that hangs

# Of one asyncio process.
MOST_CONNECTIONS = 16

# A short outage is retried; after a second it is reported.
RETRIES, FIRST_PAUSE_S, LONGEST_PAUSE_S = 4, 0.05, 0.4

# LPOP with a count, EXPIRE on lists fed by scripts and waiting times below a second.
OLDEST_VERSION = (6, 2)


def connect(
    url: str, *, timeout_s: float = SOCKET_TIMEOUT_S, retries: int = RETRIES
) -> redis.Redis:
    """A client that has reached Redis; Unavailable says what to do where it cannot.

    Not to be shared across a fork: each process makes its own.
    """
    try:
        retry = Retry(ExponentialBackoff(LONGEST_PAUSE_S, FIRST_PAUSE_S), retries)
        client = redis.Redis.from_url(url, socket_timeout=timeout_s, retry=retry)
        _check_version(url, client.info("server"))
    except (redis.RedisError, ValueError, OSError) as error:
        raise _unavailable(url, error) from _cause(error)
    return client


def impatient(url: str) -> redis.Redis:
    """A client for those who can do without Redis: it waits for a moment, once, and has reached
    nothing yet. Raises Unavailable for what is no URL of a Redis."""
    check_url(url)
    return redis.Redis.from_url(
        url,
        socket_timeout=IMPATIENT_S,
        socket_connect_timeout=IMPATIENT_S,
        # Left to itself it tries four times, with pauses of seconds.
        retry=Retry(NoBackoff(), 0),
    )


async def connect_async(url: str) -> redis.asyncio.Redis:
    """The same for asyncio."""
    try:
        pauses = ExponentialBackoff(LONGEST_PAUSE_S, FIRST_PAUSE_S)
        retry = redis.asyncio.retry.Retry(pauses, RETRIES)
        # When a thousand bots connect at once, they share these connections and wait.
        pool = redis.asyncio.BlockingConnectionPool.from_url(
            url,
            max_connections=MOST_CONNECTIONS,
            timeout=SOCKET_TIMEOUT_S,
            socket_timeout=SOCKET_TIMEOUT_S,
            retry=retry,
        )
        client = redis.asyncio.Redis.from_pool(pool)
        _check_version(url, await client.info("server"))
    except (redis.RedisError, ValueError, OSError) as error:
        raise _unavailable(url, error) from _cause(error)
    return client


def _check_version(url: str, info: dict[str, str]) -> None:
    version = str(info["redis_version"])
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_VERSION:
        raise Unavailable(
            f"Redis at {place(url)} is version {version}; the arena needs 6.2 or newer."
        )


def _unavailable(url: str, error: Exception) -> Unavailable:
    if isinstance(error, ValueError):
        return Unavailable(
            "ARENA_REDIS_URL is not a Redis URL: it looks like redis://HOST:PORT/0 or"
            " redis://:PASSWORD@HOST:PORT/0, in a password / ? # and @ are %2F %3F %23 and %40."
        )
    return Unavailable(str(explain(error, place(url))), str(explain(error)))


def _cause(error: Exception) -> Exception | None:
    """What may stand in a traceback: what cannot be read of a URL may be of its password."""
    return None if isinstance(error, ValueError) else error


def check_url(url: str) -> None:
    """Raises Unavailable for what is no URL of a Redis; connects to nothing."""
    try:
        redis.ConnectionPool.from_url(url)
    except ValueError as error:
        raise _unavailable(url, error) from None


def place(url: str) -> str:
    """The host and port of a URL, or the file of a socket: nothing that may hold a secret."""
    # A password that should have been quoted may have any of the signs that divide a URL.
    rest = re.split("[?#]", url.partition("://")[2].rpartition("@")[2])[0]
    return rest if rest.startswith("/") else rest.partition("/")[0]

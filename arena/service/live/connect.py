"""Opens and checks connections to Redis."""

import re

import redis
import redis.asyncio
import redis.asyncio.retry
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.retry import Retry

from arena.base.errors import Unavailable
from arena.service.live.redis_error import explain

SOCKET_TIMEOUT_S = 10.0  # after which a silent Redis counts as away
LONGEST_WAIT_S = 5.0  # of a blocking command
IMPATIENT_S = 1.0  # a page without live data is better than one that hangs
MOST_CONNECTIONS = 16  # per asyncio process

# Short outages are retried. After about a second they are reported.
RETRIES, FIRST_PAUSE_S, LONGEST_PAUSE_S = 4, 0.05, 0.4

OLDEST_VERSION = (6, 2)  # the first one that has LPOP with a count


def connect(
    url: str, *, timeout_s: float = SOCKET_TIMEOUT_S, retries: int = RETRIES
) -> redis.Redis:
    """Returns a client that has reached Redis. Raises Unavailable with advice if it cannot. Clients
    must not be shared across a fork."""
    try:
        retry = Retry(ExponentialBackoff(LONGEST_PAUSE_S, FIRST_PAUSE_S), retries)
        client = redis.Redis.from_url(url, socket_timeout=timeout_s, retry=retry)
        _check_version(url, client.info("server"))
    except (redis.RedisError, ValueError, OSError) as error:
        raise unreachable(url, error) from _cause(error)
    return client


def impatient(url: str) -> redis.Redis:
    """Returns an unconnected client with a short timeout and no retries, for callers that can do
    without Redis. Raises Unavailable if the URL is invalid."""
    check_url(url)
    return redis.Redis.from_url(
        url,
        socket_timeout=IMPATIENT_S,
        socket_connect_timeout=IMPATIENT_S,
        # The library's default retries four times, with pauses of seconds.
        retry=Retry(NoBackoff(), 0),
    )


async def connect_async(url: str) -> redis.asyncio.Redis:
    """Like `connect`, for asyncio."""
    try:
        pauses = ExponentialBackoff(LONGEST_PAUSE_S, FIRST_PAUSE_S)
        retry = redis.asyncio.retry.Retry(pauses, RETRIES)
        # If a thousand bots connect at once, their requests wait for these connections.
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
        raise unreachable(url, error) from _cause(error)
    return client


def _check_version(url: str, info: dict[str, str]) -> None:
    version = str(info["redis_version"])
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_VERSION:
        raise Unavailable(
            f"Redis at {place(url)} is too old ({version}). Upgrade it to 6.2 or newer."
        )


def unreachable(url: str, error: Exception) -> Unavailable:
    """The error for a server that does not answer, or an invalid URL."""
    if isinstance(error, ValueError):
        return Unavailable(
            "ARENA_REDIS_URL is not a Redis URL. Write it like redis://HOST:PORT/0 or"
            " redis://:PASSWORD@HOST:PORT/0. In a password, write / ? # @ as %2F %3F %23 %40."
        )
    return Unavailable(str(explain(error, place(url))), str(explain(error)))


def _cause(error: Exception) -> Exception | None:
    """The cause for the traceback, without errors that may quote a password from the URL."""
    return None if isinstance(error, ValueError) else error


def check_url(url: str) -> None:
    """Raises Unavailable if the URL is invalid. Does not connect."""
    try:
        redis.ConnectionPool.from_url(url)
    except ValueError as error:
        raise unreachable(url, error) from None


def place(url: str) -> str:
    """The host and port of a URL, or the path of a socket; never a password."""
    # A password that is not quoted may contain any delimiter of a URL.
    rest = re.split("[?#]", url.partition("://")[2].rpartition("@")[2])[0]
    return rest if rest.startswith("/") else rest.partition("/")[0]

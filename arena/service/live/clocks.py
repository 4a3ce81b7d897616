"""The clocks of all processes.

Each process compares its machine's clock with that of Redis, and reports the difference with its
heartbeats. Readers compare Redis with the database, which gives each difference to the database.
"""

import socket
import time
from dataclasses import dataclass
from typing import cast
from weakref import WeakKeyDictionary

import redis
import redis.asyncio

from arena.base import instant
from arena.base.instant import ahead_s
from arena.service.live import keys

EVERY_S = 3.0  # between two reports
ALIVE_S = 10  # since the last report
REDIS = "Redis"  # the process of `MachineClock` for Redis itself

_REPORT = f"""
local now = redis.call('TIME')[1]
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - {ALIVE_S})) do
  redis.call('ZREM', KEYS[1], name)
  redis.call('HDEL', KEYS[2], name)
end
redis.call('EXPIRE', KEYS[1], {ALIVE_S})
redis.call('EXPIRE', KEYS[2], {ALIVE_S})
"""
_KEYS = (keys.CLOCKS_REPORTED, keys.CLOCKS)


@dataclass(frozen=True, slots=True)
class MachineClock:
    """The clock of the processes of one kind on a machine or in a container."""

    process: str  # "gateway"
    host: str
    ahead_s: float  # of the database's clock; negative if it is behind


_reported = WeakKeyDictionary[object, dict[str, float]]()  # by connection and process


def _is_due(client: object, process: str) -> bool:
    last, now = _reported.setdefault(client, {}), time.monotonic()
    if now - last.get(process, float("-inf")) < EVERY_S:
        return False
    last[process] = now
    return True


def keep_reported(client: redis.Redis, process: str) -> None:
    """Reports the clock of this machine every `EVERY_S`; to be called more often. Raises
    RedisError."""
    if _is_due(client, process):
        report(client, process)


async def keep_reported_async(client: redis.asyncio.Redis, process: str) -> None:
    """Like `keep_reported`, for asyncio. Raises RedisError."""
    if _is_due(client, process):
        await report_async(client, process)


def report(client: redis.Redis, process: str) -> None:
    """Reports the clock of this machine. Raises RedisError."""
    before = time.time()
    seconds, micros = client.time()
    ahead = -ahead_s(seconds + micros / 1e6, before, time.time())
    client.eval(_REPORT, len(_KEYS), *_KEYS, _name(process), str(ahead))


async def report_async(client: redis.asyncio.Redis, process: str) -> None:
    """Like `report`, for asyncio. Raises RedisError."""
    before = time.time()
    seconds, micros = await client.time()
    ahead = -ahead_s(seconds + micros / 1e6, before, time.time())
    await client.eval(_REPORT, len(_KEYS), *_KEYS, _name(process), str(ahead))


def clocks_with_redis(client: redis.Redis) -> list[MachineClock]:
    """The recently reported clocks, sorted by name, and if there are any the clock of the machine
    of Redis. The caller must have read the database's clock. Raises RedisError."""
    before = instant.now()
    seconds, micros = client.time()
    redis_ahead = ahead_s(seconds + micros / 1e6, before, instant.now())
    found = cast("dict[bytes, bytes]", client.hgetall(keys.CLOCKS))
    since = seconds - ALIVE_S
    reported = cast("list[bytes]", client.zrangebyscore(keys.CLOCKS_REPORTED, since, "+inf"))
    names = [name for name in sorted(reported) if name in found]
    host = str(client.connection_pool.connection_kwargs.get("host", "localhost"))
    of_redis = [MachineClock(REDIS, host, redis_ahead)] if names else []
    return [*(_clock(name, float(found[name]) + redis_ahead) for name in names), *of_redis]


def _name(process: str) -> str:
    return f"{process}@{socket.gethostname()}"


def _clock(name: bytes, ahead: float) -> MachineClock:
    process, _, host = name.decode().partition("@")
    return MachineClock(process, host, ahead)

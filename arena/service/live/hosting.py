"""Leases of hosts on hosted versions, the hosts' heartbeats, and a lease on the house bots.

If Redis loses them, two hosts may briefly connect the same version. The gateway keeps the newer
session, and the host without the lease releases the version.

A bot has one session, and a new token voids the old one. Two processes that connect the house bots
would disconnect each other again and again. So one connects them, and others wait to take over.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import cast

import redis
import redis.asyncio

from arena.service.live import clocks, keys
from arena.service.live.vitals import ALIVE_S, BEAT

RENEW_S = 1.0
FAILURE_S = 90  # for which a failure is shown; hosts try again every minute
LEASE_S = 6  # the takeover time after a crash; less than bots have to reconnect

_BEAT = f"{BEAT}return redis.call('ZCOUNT', KEYS[1], now - {ALIVE_S}, '+inf')"
_TAKE = """
local taken = {}
for i, key in ipairs(KEYS) do
  local held = redis.call('GET', key)
  if not held or held == ARGV[1] then
    redis.call('SET', key, ARGV[1], 'EX', ARGV[2])
    taken[#taken + 1] = i - 1
  end
end
return taken
"""
_LET_GO = """
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[1] then redis.call('DEL', key) end
end
"""


async def take(client: redis.asyncio.Redis, host: str, players: Sequence[int]) -> set[int]:
    """Takes or renews a host's leases on these players. Returns those that it has now. Raises
    RedisError."""
    if not players:
        return set()
    names = [keys.hosted(player) for player in players]
    taken = await client.eval(_TAKE, len(names), *names, host, str(LEASE_S))
    return {players[place] for place in taken}


async def let_go(client: redis.asyncio.Redis, host: str, players: Collection[int]) -> None:
    """Releases a host's leases on these players. Raises RedisError."""
    if players:
        names = [keys.hosted(player) for player in players]
        await client.eval(_LET_GO, len(names), *names, host)


async def beat(client: redis.asyncio.Redis, host: str) -> int:
    """Sends a heartbeat of a host. Returns the number of hosts alive. Raises RedisError."""
    await clocks.keep_reported_async(client, "host")
    return int(await client.eval(_BEAT, 1, keys.HOSTS, host))


async def stop_beating(client: redis.asyncio.Redis, host: str) -> None:
    """Removes a host's heartbeat. Raises RedisError."""
    await client.zrem(keys.HOSTS, host)


@dataclass(frozen=True)
class HostFailure:
    """A failure of a host: what ("ada@2 cannot be hosted") and the reason, which is not public."""

    host: str
    what: str
    reason: str


async def note_failure(client: redis.asyncio.Redis, failure: HostFailure) -> None:
    """Stores the latest failure of a host. Raises RedisError."""
    text = f"{failure.what}\n{failure.reason}"
    await client.set(keys.host_failure(failure.host), text, ex=FAILURE_S)


def failures(client: redis.Redis) -> list[HostFailure]:
    """The latest failures of hosts. Raises RedisError."""
    hosts = [name.decode() for name in cast("list[bytes]", client.zrange(keys.HOSTS, 0, -1))]
    texts = client.mget([keys.host_failure(host) for host in hosts]) if hosts else []
    pairs = zip(hosts, cast("list[bytes | None]", texts), strict=True)
    return [HostFailure(host, *text.decode().split("\n", 1)) for host, text in pairs if text]


def hold_house(client: redis.Redis, holder: str) -> bool:
    """Takes or renews the lease on the house bots. Returns False if another process has it. Raises
    RedisError."""
    clocks.keep_reported(client, "house")
    return bool(client.eval(_TAKE, 1, keys.HOUSE, holder, str(LEASE_S)))


def release_house(client: redis.Redis, holder: str) -> None:
    """Releases the lease on the house bots if this holder has it. Raises RedisError."""
    client.eval(_LET_GO, 1, keys.HOUSE, holder)


def house_is_held(client: redis.Redis) -> bool:
    """Whether any process has the lease on the house bots. Raises RedisError."""
    return bool(client.exists(keys.HOUSE))

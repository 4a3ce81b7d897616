"""Which host has which hosted version: a lease in Redis for each, and a beat for each host.

Redis forgetting it all costs nothing but a moment: two hosts may then both connect a version, of
which the gateway keeps the newer session, and the older host lets go as soon as it finds the lease
with the other one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import redis
import redis.asyncio

from arena.service.live import clocks, keys
from arena.service.live.vitals import ALIVE_S, BEAT

RENEW_S = 1.0
LEASE_S = 6

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
    """Leases these players to a host, or renews their leases; which of them it has now. Raises
    RedisError."""
    if not players:
        return set()
    names = [keys.hosted(player) for player in players]
    taken = await client.eval(_TAKE, len(names), *names, host, str(LEASE_S))
    return {players[place] for place in taken}


async def let_go(client: redis.asyncio.Redis, host: str, players: Collection[int]) -> None:
    """Leaves them to other hosts. Raises RedisError."""
    if players:
        names = [keys.hosted(player) for player in players]
        await client.eval(_LET_GO, len(names), *names, host)


async def beat(client: redis.asyncio.Redis, host: str) -> int:
    """A sign of life of a host; how many hosts live. Raises RedisError."""
    await client.eval(BEAT, 1, keys.HOSTS, host)
    await clocks.report_async(client, "host")
    now, _ = await client.time()
    return int(await client.zcount(keys.HOSTS, now - ALIVE_S, "+inf"))


async def stop_beating(client: redis.asyncio.Redis, host: str) -> None:
    """The host ends. Raises RedisError."""
    await client.zrem(keys.HOSTS, host)

"""Leases of hosts on hosted versions, and the hosts' heartbeats.

If Redis loses them, two hosts may briefly connect the same version. The gateway keeps the newer
session, and the host without the lease releases the version.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import redis
import redis.asyncio

from arena.service.live import clocks, keys
from arena.service.live.vitals import ALIVE_S, BEAT

RENEW_S = 1.0
LEASE_S = 6

_BEAT = f"{BEAT}return redis.call('ZCOUNT', KEYS[1], now - {ALIVE_S}, '+inf')"
# Scripts: take or renew the leases of a holder, and release them. Also for the one of house bots.
TAKE = """
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
LET_GO = """
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
    taken = await client.eval(TAKE, len(names), *names, host, str(LEASE_S))
    return {players[place] for place in taken}


async def let_go(client: redis.asyncio.Redis, host: str, players: Collection[int]) -> None:
    """Releases a host's leases on these players. Raises RedisError."""
    if players:
        names = [keys.hosted(player) for player in players]
        await client.eval(LET_GO, len(names), *names, host)


async def beat(client: redis.asyncio.Redis, host: str) -> int:
    """Sends a heartbeat of a host. Returns the number of hosts alive. Raises RedisError."""
    await clocks.keep_reported_async(client, "host")
    return int(await client.eval(_BEAT, 1, keys.HOSTS, host))


async def stop_beating(client: redis.asyncio.Redis, host: str) -> None:
    """Removes a host's heartbeat. Raises RedisError."""
    await client.zrem(keys.HOSTS, host)

"""Who waits for a worker, in line, and since when.

A tournament is queued while batches of it wait (`arena.service.live.ready`) and no worker plays
any. The sweep notes each second who is, and when that began; pages read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

import redis

from arena.service.live import keys

SOON_S = 2.0  # who has a worker within so many seconds was never in line


@dataclass(frozen=True)
class Line:
    """The tournaments `queued`, in the order in which workers come to them, each since when (Unix
    seconds), and those that workers are `playing`."""

    queued: Mapping[int, float] = field(default_factory=dict)
    playing: frozenset[int] = frozenset()


_LOOK = """
local now = redis.call('TIME')[1]
local playing, held = {}, {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], now, '+inf')) do
  local tournament = string.match(member, '^%d+')
  if not held[tournament] then
    held[tournament] = true
    playing[#playing + 1] = tonumber(tournament)
  end
end
local waiting = {}
for _, tournament in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  if not held[tournament] and redis.call('EXISTS', ARGV[1] .. tournament) == 1 then
    waiting[#waiting + 1] = tonumber(tournament)
  end
end
return {playing, waiting}
"""


def note(client: redis.Redis, now: float) -> dict[int, float]:
    """Notes who is queued at this moment (Unix seconds). Returns how many seconds those were who
    are no longer, each once. For one caller at a time."""
    _, waiting = _look(client)
    before = _noted(client)
    if new := [each for each in waiting if each not in before]:
        client.hset(keys.QUEUED, mapping={str(each): now for each in new})
    over = before.keys() - set(waiting)
    if not over:
        return {}
    client.hdel(keys.QUEUED, *map(str, over))
    waited = {each: now - before[each] for each in over}
    return {each: seconds for each, seconds in waited.items() if seconds >= SOON_S}


def line(client: redis.Redis, now: float) -> Line:
    """The line as it is now. Raises RedisError."""
    playing, waiting = _look(client)
    noted = _noted(client)
    queued = {each: noted[each] for each in waiting if noted.get(each, now) <= now - SOON_S}
    return Line(queued, frozenset(playing))


def _look(client: redis.Redis) -> tuple[list[int], list[int]]:
    found = client.eval(_LOOK, 2, keys.PLAYING, keys.READY, keys.READY_BATCHES)
    playing, waiting = cast("list[list[int]]", found)
    return playing, waiting


def _noted(client: redis.Redis) -> dict[int, float]:
    noted = cast("dict[bytes, bytes]", client.hgetall(keys.QUEUED))
    return {int(tournament): float(since) for tournament, since in noted.items()}

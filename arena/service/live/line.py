"""The line of tournaments that wait for a worker.

A tournament is queued while it has waiting batches (`arena.service.live.ready`) and no worker plays
any of its batches. The sweep notes every second which tournaments are queued, and since when.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

import redis

from arena.service.live import keys

SOON_S = 2.0  # a tournament with a worker within this time does not count as queued


@dataclass(frozen=True)
class TournamentQueue:
    """The queued tournaments in the order in which workers claim them, and those in play."""

    queued: Mapping[int, float] = field(default_factory=dict)  # since when (Unix seconds)
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
    """Notes which tournaments are queued at `now` (Unix seconds). Returns, once for each that is no
    longer queued, how many seconds it was. Must not run concurrently."""
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


def line(client: redis.Redis, now: float) -> TournamentQueue:
    """The current line. Raises RedisError."""
    playing, waiting = _look(client)
    noted = _noted(client)
    queued = {each: noted[each] for each in waiting if noted.get(each, now) <= now - SOON_S}
    return TournamentQueue(queued, frozenset(playing))


def _look(client: redis.Redis) -> tuple[list[int], list[int]]:
    found = client.eval(_LOOK, 2, keys.PLAYING, keys.READY, keys.READY_BATCHES)
    playing, waiting = cast("list[list[int]]", found)
    return playing, waiting


def _noted(client: redis.Redis) -> dict[int, float]:
    noted = cast("dict[bytes, bytes]", client.hgetall(keys.QUEUED))
    return {int(tournament): float(since) for tournament, since in noted.items()}

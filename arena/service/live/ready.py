"""The batches that wait for a worker, shared fairly among tournaments.

This is start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996) over matches. Each tournament
has a virtual time, which grows by its claimed matches divided by its weight. A worker claims from
the tournament with the lowest time. A tournament that had no waiting batches for a while continues
at the time of the others, so it neither saves up a share nor pays for an old one.

A batch is queued at most once, and not while it is played. If Redis loses the queue, the sweep
restores it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import cast

import redis

from arena.service.live import keys

SHARES_TTL_S = 3600  # lifetime of virtual times in an idle arena


@dataclass(frozen=True, slots=True)
class Claimed:
    """A batch whose lease the caller has."""

    tournament: int
    number: int


_SETS = [keys.READY, keys.READY_SINCE, keys.READY_SHARES, keys.READY_CLOCK, keys.READY_COSTS]
_NAMES = f"""
local ready, since, shares, clock, costs = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local batches, lease = '{keys.READY_BATCHES}', '{keys.LEASE}'
"""

_ADD = (
    _NAMES
    + """
local tournament, matches, weight = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
for i = 4, #ARGV do
  local member = tournament .. ':' .. ARGV[i]
  if redis.call('EXISTS', lease .. member) == 0 then
    redis.call('ZADD', since, 'NX', time[1] + time[2] / 1e6, member)
    redis.call('ZADD', batches .. tournament, ARGV[i], ARGV[i])
  end
end
if redis.call('EXISTS', batches .. tournament) == 1 then
  local now = tonumber(redis.call('GET', clock) or '0')
  local own = tonumber(redis.call('ZSCORE', shares, tournament) or '0')
  redis.call('ZADD', ready, math.max(own, now), tournament)
  redis.call('HSET', costs, tournament, cjson.encode({matches, weight}))
end
return redis.call('ZCARD', since)
"""
)

# Claims at most half of the waiting batches, rounded up, and leaves the rest for idle workers.
_CLAIM = (
    _NAMES
    + """
local room, holder, lease_s, shares_s = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local function forget(tournament)
  redis.call('ZREM', ready, tournament)
  redis.call('HDEL', costs, tournament)
end
local excluded = {}
for i = 5, #ARGV do excluded[ARGV[i]] = true end
local most = math.ceil(redis.call('ZCARD', since) / 2)
local until_ = redis.call('TIME')[1] + lease_s
local claimed, passed = {}, 0
while room > 0 and #claimed < most do
  local first = redis.call('ZRANGE', ready, passed, passed, 'WITHSCORES')
  local tournament, start = first[1], tonumber(first[2])
  if not tournament then break end
  local number = not excluded[tournament] and redis.call('ZPOPMIN', batches .. tournament)[1]
  if excluded[tournament] then
    passed = passed + 1
  elseif not number then
    forget(tournament)
  else
    local member = tournament .. ':' .. number
    redis.call('ZREM', since, member)
    local cost = cjson.decode(redis.call('HGET', costs, tournament) or '[1,1]')
    if redis.call('EXISTS', batches .. tournament) == 0 then forget(tournament) end
    if redis.call('SET', lease .. member, holder, 'NX', 'EX', lease_s) then
      local finish = start + cost[1] / cost[2]
      redis.call('ZADD', KEYS[6], until_, member)
      redis.call('SET', clock, start, 'EX', shares_s)
      redis.call('ZADD', shares, finish, tournament)
      redis.call('ZADD', ready, 'XX', finish, tournament)
      claimed[#claimed + 1] = member
      room = room - cost[1]
    end
  end
end
if #claimed > 0 then
  redis.call('ZREMRANGEBYSCORE', shares, '-inf', redis.call('GET', clock))
  redis.call('EXPIRE', shares, shares_s)
end
return claimed
"""
)

_MISSING = (
    _NAMES
    + """
local missing = {}
for i, member in ipairs(ARGV) do
  if not redis.call('ZSCORE', since, member) and redis.call('EXISTS', lease .. member) == 0 then
    missing[#missing + 1] = i
  end
end
return missing
"""
)


def add(
    client: redis.Redis,
    tournament: int,
    numbers: Collection[int],
    *,
    matches: int,
    weight: float = 1.0,
) -> int:
    """Queues batches of a tournament with `matches` matches each, except those that are queued or
    played already. Returns the number of waiting batches of all tournaments."""
    values = (str(tournament), str(matches), str(weight), *map(str, numbers))
    return int(client.eval(_ADD, len(_SETS), *_SETS, *values))


def claim(
    client: redis.Redis,
    holder: str,
    lease_s: int,
    room: int,
    excluded: Collection[int] = (),
) -> list[Claimed]:
    """Claims batches of tournaments that are not `excluded`, in fair order, until they have at
    least `room` matches; at most half of the waiting batches, rounded up. `holder` gets their
    leases for `lease_s` seconds."""
    names = [*_SETS, keys.PLAYING]
    values = (str(room), holder, str(lease_s), str(SHARES_TTL_S), *map(str, excluded))
    found = cast("list[bytes]", client.eval(_CLAIM, len(names), *names, *values))
    return [_claimed(member) for member in found]


def held_by(client: redis.Redis, task: str) -> list[Claimed]:
    """The batches whose leases runs of a task have, for a task that runs again after a crash. The
    holder of a lease starts with the task's id, up to a slash."""
    members = cast("list[bytes]", client.zrange(keys.PLAYING, 0, -1))
    claimed = [_claimed(member) for member in members]
    if not claimed:
        return []
    names = [keys.batch(each.tournament, each.number) for each in claimed]
    values = cast("list[bytes | None]", client.mget(names))
    pairs = zip(claimed, values, strict=True)
    return [each for each, value in pairs if value and value.partition(b"/")[0] == task.encode()]


def missing(client: redis.Redis, found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The batches among these (tournament, number) that are neither queued nor leased, because
    they were lost or never sent."""
    if not found:
        return []
    members = [f"{tournament}:{number}" for tournament, number in found]
    indices = cast("list[int]", client.eval(_MISSING, len(_SETS), *_SETS, *members))
    return [found[index - 1] for index in indices]


def waiting(client: redis.Redis) -> int:
    return int(client.zcard(keys.READY_SINCE))


def _claimed(member: bytes) -> Claimed:
    tournament, _, number = member.decode().partition(":")
    return Claimed(int(tournament), int(number))

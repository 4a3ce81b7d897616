"""The batches that wait for a worker, shared fairly among tournaments.

This is start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996) over matches. Each tournament
has a virtual time, which grows by its claimed matches divided by its weight. A worker claims from
the tournament with the lowest time. A tournament that had no waiting batches for a while continues
at the time of the others, so it neither saves up a share nor pays for an old one.

A batch is queued at most once, and not while it is played. If Redis loses the queue, the sweep
restores it.

A tournament is *queued* while it has waiting batches and no worker plays any of its batches. The
sweep notes every second which tournaments are queued, and since when.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import redis

from arena.service.live import keys

SHARES_TTL_S = 3600  # lifetime of virtual times in an idle arena
SOON_S = 2.0  # a tournament with a worker within this time does not count as queued


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


def note_queued(client: redis.Redis, now: float) -> dict[int, float]:
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

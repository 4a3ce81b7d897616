"""The connected players, and their gateways.

Each player has a key, "SESSION JSON", which its gateway refreshes. A second key outlives it if the
gateway falls silent, because the player cannot know that yet and is waited for. Redis assigns
increasing session numbers. If a player connects twice, the newest session owns the key, in whatever
order two gateways write.

A mark says that a player used up its grace time, so that no worker waits for it again. One script
checks that the player is not connected and sets the mark; connecting removes it (`claim`). So a
connected player never has a mark, in whatever order messages arrive. The mark holds the time by the
clock of Redis at which it was first set.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import redis
import redis.asyncio

from arena.base.keepalive import GATEWAY_TTL_S, HELD_TTL_S, PRESENCE_TTL_S
from arena.service.live import clocks, keys
from arena.service.live.player_presence import Presence, decode, encode
from arena.service.live.vitals import BEAT, this_process

# Longer than any start grace, which counts from the mark on.
GONE_S = 2 * 86_400
ALLOWANCE_S = 300  # after which a player has its full grace time again


def present(client: redis.Redis, players: Iterable[int]) -> dict[int, Presence]:
    """The connected ones among these players, in one round trip."""
    ids = list(players)
    if not ids:
        return {}
    return _decoded(ids, client.mget([keys.presence(player) for player in ids]))


def gateway_and_present(
    client: redis.Redis, players: Iterable[int]
) -> tuple[bool, dict[int, Presence]]:
    """Whether any gateway is alive, and the connected ones among these players, in one round
    trip."""
    ids = list(players)
    gateway, *values = client.mget([keys.ANY_GATEWAY, *map(keys.presence, ids)])
    return gateway is not None, _decoded(ids, values)


def _decoded(ids: Sequence[int], values: Sequence[bytes | str | None]) -> dict[int, Presence]:
    return {
        player: decode(value)
        for player, value in zip(ids, values, strict=True)
        if value is not None
    }


def gateways_alive(client: redis.Redis, gateway_ids: Iterable[str]) -> set[str]:
    """The gateways among these that have a heartbeat."""
    ids = sorted(set(gateway_ids))
    if not ids:
        return set()
    beats = client.mget([keys.gateway(gateway_id) for gateway_id in ids])
    return {gateway_id for gateway_id, beat in zip(ids, beats, strict=True) if beat is not None}


def any_gateway(client: redis.Redis) -> bool:
    return bool(client.exists(keys.ANY_GATEWAY))


# Sessions come from the clock of Redis, so they increase even if a restart loses all keys. The
# stored session distinguishes two claims within a microsecond.
_CLAIM = """
local now = redis.call('TIME')
local session = string.format('%.0f', now[1] * 1000000 + now[2])
local held = redis.call('GET', KEYS[1])
if held and held:match('^%d+') >= session then
  session = string.format('%.0f', tonumber(held:match('^%d+')) + 1)
end
redis.call('SET', KEYS[1], session .. ' ' .. ARGV[1], 'EX', ARGV[2])
redis.call('SET', KEYS[4], 1, 'EX', ARGV[5])
redis.call('DEL', KEYS[3], KEYS[5])
redis.call('PUBLISH', KEYS[2], ARGV[3] .. ' ' .. session .. ' ' .. ARGV[4])
return session
"""

# Returns the keys that a newer session owns, and leaves them unchanged.
_REFRESH = """
local lost = {}
local count = #KEYS / 2
for i = 1, count do
  local key, value = KEYS[i], ARGV[i + 2]
  local held = redis.call('GET', key)
  if held and held:match('^%d+') > value:match('^%d+') then
    lost[#lost + 1] = i - 1
  else
    redis.call('SET', key, value, 'EX', ARGV[1])
    redis.call('SET', KEYS[count + i], 1, 'EX', ARGV[2])
  end
end
return lost
"""

_RELEASE = """
local held = redis.call('GET', KEYS[1])
if held and held:match('^%d+') == ARGV[1] then redis.call('DEL', KEYS[1], KEYS[2]) end
"""


async def claim(client: redis.asyncio.Redis, presence: Presence) -> Presence:
    """Makes this the player's newest session, and notifies all gateways. Returns the presence with
    its session number."""
    fields = encode(presence).partition(" ")[2]
    session: bytes = await client.eval(
        _CLAIM,
        5,
        keys.presence(presence.player),
        keys.REPLACED,
        keys.gone(presence.player),
        keys.held(presence.player),
        keys.allowance(presence.player),
        fields,
        str(PRESENCE_TTL_S),
        str(presence.player),
        presence.gateway,
        str(HELD_TTL_S),
    )
    return replace(presence, session=session.decode())


async def refresh(client: redis.asyncio.Redis, presences: Sequence[Presence]) -> list[Presence]:
    """Refreshes a gateway's presences. Returns those that a newer session replaced."""
    if not presences:
        return []
    replaced: list[int] = await client.eval(
        _REFRESH,
        2 * len(presences),
        *(keys.presence(presence.player) for presence in presences),
        *(keys.held(presence.player) for presence in presences),
        str(PRESENCE_TTL_S),
        str(HELD_TTL_S),
        *(encode(presence) for presence in presences),
    )
    return [presences[index] for index in replaced]


async def release(client: redis.asyncio.Redis, presence: Presence) -> None:
    """Deletes the presence of an ended session, unless a newer one owns the key."""
    names = keys.presence(presence.player), keys.held(presence.player)
    await client.eval(_RELEASE, 2, *names, presence.session)


async def beat(client: redis.asyncio.Redis, gateway_id: str) -> None:
    async with client.pipeline(transaction=False) as pipeline:
        pipeline.set(keys.gateway(gateway_id), 1, ex=GATEWAY_TTL_S)
        pipeline.set(keys.ANY_GATEWAY, gateway_id, ex=GATEWAY_TTL_S)
        pipeline.eval(BEAT, 1, keys.GATEWAYS, this_process(gateway_id))
        await pipeline.execute()
    await clocks.keep_reported_async(client, "gateway")


async def stop_beating(client: redis.asyncio.Redis, gateway_id: str) -> None:
    await client.delete(keys.gateway(gateway_id))
    await client.zrem(keys.GATEWAYS, this_process(gateway_id))


_NOTE_ALLOWANCE = """
local held = redis.call('GET', KEYS[1])
if held and held:match('^%d+') == ARGV[1] then
  redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[3])
end
"""


async def note_allowance(
    client: redis.asyncio.Redis, presence: Presence, left_s: float, now: float
) -> None:
    """Stores the rest of a player's grace time for the next gateway to which it connects. The
    player lost the stream of this session at `now` (Unix seconds; infinite: it has one). Raises
    RedisError."""
    names = keys.presence(presence.player), keys.allowance(presence.player)
    value = f"{left_s} {now}"
    await client.eval(_NOTE_ALLOWANCE, 2, *names, presence.session, value, str(ALLOWANCE_S))


async def recall_allowance(client: redis.asyncio.Redis, player: int, now: float) -> float | None:
    """The rest of the grace time of a player who reconnects at `now` (Unix seconds), in seconds;
    None if unknown. Claiming the new session deletes it. Raises RedisError."""
    value = await client.get(keys.allowance(player))
    if value is None:
        return None
    left, since = map(float, value.split())
    return max(0.0, left - max(0.0, now - since))


_MARK = """
if redis.call('EXISTS', KEYS[1], KEYS[3]) > 0 then return 0 end
redis.call('SET', KEYS[2], redis.call('TIME')[1], 'NX', 'EX', ARGV[1])
return redis.call('GET', KEYS[2])
"""

_GIVE_UP = """
local held = redis.call('GET', KEYS[1])
local newest = held and held:match('^%d+')
if newest and newest > ARGV[2] then return newest end
redis.call('DEL', KEYS[1], KEYS[3])
redis.call('SET', KEYS[2], redis.call('TIME')[1], 'NX', 'EX', ARGV[1])
return false
"""


def mark_gone(client: redis.Redis, player: int) -> float | None:
    """Marks a player as gone, and returns since when (Unix seconds by the clock of Redis). Sets no
    mark and returns None if the player is connected, or may not have noticed yet that its gateway
    fell silent."""
    names = keys.presence(player), keys.gone(player), keys.held(player)
    since = client.eval(_MARK, 3, *names, str(GONE_S))
    return float(since) if since else None


async def give_up(client: redis.asyncio.Redis, presence: Presence) -> str | None:
    """Ends the session of a player who did not reconnect within the grace time, and marks the
    player as gone. If there is a newer session by now, returns it and does nothing else."""
    newest: bytes | None = await client.eval(
        _GIVE_UP,
        3,
        keys.presence(presence.player),
        keys.gone(presence.player),
        keys.held(presence.player),
        str(GONE_S),
        presence.session,
    )
    return None if newest is None else newest.decode()

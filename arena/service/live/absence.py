"""Marks for players who used up their grace time, so that no worker waits for them again.

One script checks that the player is not connected and sets the mark; connecting removes it
(`arena.service.live.presence.claim`). So a connected player never has a mark, in whatever order
messages arrive. The mark holds the time by the clock of Redis at which it was first set.
"""

from __future__ import annotations

import redis
import redis.asyncio

from arena.service.live import keys
from arena.service.live.player_presence import Presence

# Longer than any start grace, which counts from the mark on.
GONE_S = 2 * 86_400
ALLOWANCE_S = 300  # after which a player has its full grace time again

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

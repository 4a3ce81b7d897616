"""Who is connected, and through which gateway.

One key per player, "SESSION JSON", which its gateway keeps from expiring. A session is a number
that Redis gives out, greater for the newer, so that a player connected twice is settled without
comparing the clocks of two gateways: the newest session owns the key, whoever comes late.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache

import redis
import redis.asyncio

from arena.live import keys
from arena.live.vitals import BEAT

PRESENCE_TTL_S = 10
REFRESH_PRESENCE_S = 3.0
GATEWAY_TTL_S = 3
REFRESH_GATEWAY_S = 1.0


@dataclass(frozen=True, slots=True)
class Presence:
    """One connected player (bot version)."""

    player: int
    bot: str
    version: str
    gateway: str
    session: str
    since: float  # Unix seconds
    games: tuple[str, ...]
    min_seats: int
    max_seats: int
    max_in_flight: int
    sdk: str
    notices: bool = False  # wants to be told of matches started, rounds and matches ended
    in_flight: int = 0
    latency_ms: float | None = None  # moving mean; None before the first answer
    away_since: float | None = None  # lost its stream then (Unix seconds), may yet come back

    @property
    def connected(self) -> bool:
        """Whether the stream stands, rather than being waited for."""
        return self.away_since is None

    def plays(self, game: str, seats: int) -> bool:
        """Whether the bot said it plays this game at so many seats."""
        return game in self.games and self.min_seats <= seats <= self.max_seats


def encode(presence: Presence) -> str:
    """The value of the player's key."""
    fields = asdict(presence)
    del fields["session"]
    return f"{presence.session} {json.dumps(fields)}"


@lru_cache(maxsize=4096)  # most stand as they stood a moment ago
def decode(value: bytes | str) -> Presence:
    """The presence in the value of a player's key."""
    text = value.decode() if isinstance(value, bytes) else value
    session, _, fields = text.partition(" ")
    presence = Presence(session=session, **json.loads(fields))
    return replace(presence, games=tuple(presence.games))


def present(client: redis.Redis, players: Iterable[int]) -> dict[int, Presence]:
    """Those of the players that are connected, in one round trip."""
    wanted = list(players)
    if not wanted:
        return {}
    values = client.mget([keys.presence(player) for player in wanted])
    return {
        player: decode(value)
        for player, value in zip(wanted, values, strict=True)
        if value is not None
    }


def gateways_alive(client: redis.Redis, gateway_ids: Iterable[str]) -> set[str]:
    """Those of the gateways whose heart beats."""
    wanted = sorted(set(gateway_ids))
    if not wanted:
        return set()
    beats = client.mget([keys.gateway(gateway_id) for gateway_id in wanted])
    return {gateway_id for gateway_id, beat in zip(wanted, beats, strict=True) if beat is not None}


def any_gateway(client: redis.Redis) -> bool:
    """Whether any gateway is alive."""
    return bool(client.exists(keys.ANY_GATEWAY))


# The clock of Redis makes numbers that grow even across a restart which forgot all keys; two
# claims within a microsecond are told apart by what the key holds.
_CLAIM = """
local now = redis.call('TIME')
local session = string.format('%.0f', now[1] * 1000000 + now[2])
local held = redis.call('GET', KEYS[1])
if held and held:match('^%d+') >= session then
  session = string.format('%.0f', tonumber(held:match('^%d+')) + 1)
end
redis.call('SET', KEYS[1], session .. ' ' .. ARGV[1], 'EX', ARGV[2])
redis.call('DEL', KEYS[3])
redis.call('PUBLISH', KEYS[2], ARGV[3] .. ' ' .. session .. ' ' .. ARGV[4])
return session
"""

# Gives back the keys that a newer session owns, which stay as they are.
_REFRESH = """
local lost = {}
for i, key in ipairs(KEYS) do
  local held = redis.call('GET', key)
  if held and held:match('^%d+') > ARGV[i + 1]:match('^%d+') then
    lost[#lost + 1] = i - 1
  else
    redis.call('SET', key, ARGV[i + 1], 'EX', ARGV[1])
  end
end
return lost
"""

_RELEASE = """
local held = redis.call('GET', KEYS[1])
if held and held:match('^%d+') == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""


async def claim(client: redis.asyncio.Redis, presence: Presence) -> Presence:
    """Makes this the player's newest session and says so to all gateways; fills in `session`."""
    fields = encode(presence).partition(" ")[2]
    session: bytes = await client.eval(
        _CLAIM,
        3,
        keys.presence(presence.player),
        keys.REPLACED,
        keys.gone(presence.player),
        fields,
        str(PRESENCE_TTL_S),
        str(presence.player),
        presence.gateway,
    )
    return replace(presence, session=session.decode())


async def refresh(client: redis.asyncio.Redis, held: Sequence[Presence]) -> list[Presence]:
    """Keeps a gateway's presences from expiring; returns those that a newer session replaced."""
    if not held:
        return []
    lost: list[int] = await client.eval(
        _REFRESH,
        len(held),
        *(keys.presence(presence.player) for presence in held),
        str(PRESENCE_TTL_S),
        *(encode(presence) for presence in held),
    )
    return [held[index] for index in lost]


async def release(client: redis.asyncio.Redis, presence: Presence) -> None:
    """Forgets a session that ended, unless a newer one owns the key by now."""
    await client.eval(_RELEASE, 1, keys.presence(presence.player), presence.session)


async def beat(client: redis.asyncio.Redis, gateway_id: str) -> None:
    """One heartbeat of a gateway."""
    async with client.pipeline(transaction=False) as pipeline:
        pipeline.set(keys.gateway(gateway_id), 1, ex=GATEWAY_TTL_S)
        pipeline.set(keys.ANY_GATEWAY, gateway_id, ex=GATEWAY_TTL_S)
        pipeline.eval(BEAT, 1, keys.GATEWAYS, gateway_id)
        await pipeline.execute()


async def stop_beating(client: redis.asyncio.Redis, gateway_id: str) -> None:
    """Says at once that a gateway is gone."""
    await client.delete(keys.gateway(gateway_id))
    await client.zrem(keys.GATEWAYS, gateway_id)

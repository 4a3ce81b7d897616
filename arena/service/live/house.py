"""Which process has the house's bots connected: a key in Redis that expires unless it is renewed.

A bot has one session, and a new token voids the old one: two processes that both connected the
house's bots would cut each other off for ever. So one does, and the others wait to take over.
"""

from __future__ import annotations

import redis

from arena.service.live import clocks, keys

RENEW_S = 1.0
# After which another process takes over from one that died: less than bots have to reconnect.
HELD_S = 6

_HOLD = """
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1
"""
_LET_GO = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
"""


def hold(client: redis.Redis, holder: str) -> bool:
    """Takes the house's bots, or keeps them for another `HELD_S`; False if another process has
    them. Raises RedisError."""
    clocks.report(client, "house")
    return bool(client.eval(_HOLD, 1, keys.HOUSE, holder, str(HELD_S)))


def let_go(client: redis.Redis, holder: str) -> None:
    """Leaves them to whoever comes next, if they are this process's. Raises RedisError."""
    client.eval(_LET_GO, 1, keys.HOUSE, holder)


def is_held(client: redis.Redis) -> bool:
    """Whether any process has them. Raises RedisError."""
    return bool(client.exists(keys.HOUSE))

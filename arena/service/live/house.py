"""A lease in Redis for the process that connects the house bots.

A bot has one session, and a new token voids the old one. Two processes with the same bots would
disconnect each other again and again. So one connects them, and others wait to take over.
"""

from __future__ import annotations

import redis

from arena.service.live import clocks, keys

RENEW_S = 1.0
HELD_S = 6  # the takeover time after a crash; less than bots have to reconnect

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
    """Takes or renews the lease. Returns False if another process has it. Raises RedisError."""
    clocks.keep_reported(client, "house")
    return bool(client.eval(_HOLD, 1, keys.HOUSE, holder, str(HELD_S)))


def let_go(client: redis.Redis, holder: str) -> None:
    """Releases the lease if this holder has it. Raises RedisError."""
    client.eval(_LET_GO, 1, keys.HOUSE, holder)


def is_held(client: redis.Redis) -> bool:
    """Whether any process has the lease. Raises RedisError."""
    return bool(client.exists(keys.HOUSE))

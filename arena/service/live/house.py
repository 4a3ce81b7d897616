"""A lease in Redis for the process that connects the house bots.

A bot has one session, and a new token voids the old one. Two processes with the same bots would
disconnect each other again and again. So one connects them, and others wait to take over.
"""

from __future__ import annotations

import redis

from arena.service.live import clocks, keys
from arena.service.live.hosting import LET_GO, TAKE

RENEW_S = 1.0
HELD_S = 6  # the takeover time after a crash; less than bots have to reconnect


def hold(client: redis.Redis, holder: str) -> bool:
    """Takes or renews the lease. Returns False if another process has it. Raises RedisError."""
    clocks.keep_reported(client, "house")
    return bool(client.eval(TAKE, 1, keys.HOUSE, holder, str(HELD_S)))


def let_go(client: redis.Redis, holder: str) -> None:
    """Releases the lease if this holder has it. Raises RedisError."""
    client.eval(LET_GO, 1, keys.HOUSE, holder)


def is_held(client: redis.Redis) -> bool:
    """Whether any process has the lease. Raises RedisError."""
    return bool(client.exists(keys.HOUSE))

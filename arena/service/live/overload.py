"""The share of its window that each worker uses after gateways found the machine overloaded.

A hash holds the share, and since when. Each report halves the share, which doubles again every
`RECOVERY_S` seconds. All times are by the clock of Redis.
"""

import redis
import redis.asyncio

from arena.service.live import keys

LEAST = 1 / 64
AGAIN_S = 2.0  # within which reports belong to the same overload
RECOVERY_S = 30.0
KEPT_S = 600  # after which the share is 1 again in any case

_NOTE = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local held = redis.call('HMGET', KEYS[1], 'share', 'at')
local share = 1
if held[1] then
  local passed = now - held[2]
  if passed < tonumber(ARGV[2]) then return 0 end
  share = math.min(1, held[1] * 2 ^ (passed / ARGV[3]))
end
share = math.max(share / 2, tonumber(ARGV[1]))
redis.call('HSET', KEYS[1], 'share', tostring(share), 'at', string.format('%.6f', now))
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1
"""


async def note(client: redis.asyncio.Redis) -> bool:
    """Reports that bots ran out of time because the machine is overloaded. Returns whether the
    report counts. Raises RedisError."""
    limits = map(str, (LEAST, AGAIN_S, RECOVERY_S, KEPT_S))
    return bool(await client.eval(_NOTE, 1, keys.OVERLOAD, *limits))


def share(client: redis.Redis) -> float:
    """The share of its window that a worker may use now. Raises RedisError."""
    with client.pipeline(transaction=False) as pipeline:
        pipeline.time()
        pipeline.hmget(keys.OVERLOAD, ["share", "at"])
        (seconds, us), (held, at) = pipeline.execute()
    if held is None or at is None:
        return 1.0
    passed = seconds + us / 1e6 - float(at)
    return recovered(float(held), passed)


def recovered(held: float, passed: float) -> float:
    """The share, `passed` seconds after it was `held`."""
    grown: float = held * 2.0 ** min(passed / RECOVERY_S, 10.0)
    return min(1.0, grown)

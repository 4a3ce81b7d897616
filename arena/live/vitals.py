"""Signs of life: which gateways and workers are there, and how much work waits for them.

Gateways and workers *beat* once a second: a member of a sorted set, its score the time by the
clock of Redis, so that machines need not agree on theirs. Workers beat for each queue that they
take tasks from. The sweep, which the clock (`arena beat`) sends and a worker does, leaves a mark
that fades: while it is there, tasks get done.
"""

from __future__ import annotations

from dataclasses import dataclass

import redis

from arena.live import keys
from arena.live.queues import QUEUES

BEAT_S = 1.0
ALIVE_S = 5  # since the last beat
SWEPT_S = 15  # sweeps come once a second

# Names that the broker's library gives.
IN_HAND = "unacked"

BEAT = """
local now = redis.call('TIME')[1]
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, now, ARGV[1])
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - 60)
  redis.call('EXPIRE', key, 60)
end
"""

_COUNT = """
local alive = redis.call('TIME')[1] - ARGV[1]
local counts = {}
for i, key in ipairs(KEYS) do counts[i] = redis.call('ZCOUNT', key, alive, '+inf') end
return counts
"""


@dataclass(frozen=True)
class Vitals:
    """Gateways alive, workers alive by queue, how many of them hang, whether sweeps get done, and
    tasks: those that wait by queue, and those that workers have in hand."""

    gateways: int
    workers: dict[str, int]
    hanging: int
    sweeping: bool
    queued: dict[str, int]
    in_hand: int


def vitals(client: redis.Redis, queues: tuple[str, ...] = QUEUES) -> Vitals:
    """The signs of life as of now, in one round trip. Raises RedisError."""
    sets = [keys.GATEWAYS, keys.HANGING, *map(keys.workers, queues)]
    with client.pipeline(transaction=False) as pipeline:
        pipeline.eval(_COUNT, len(sets), *sets, ALIVE_S)
        pipeline.exists(keys.SWEPT)
        pipeline.hlen(IN_HAND)
        for queue in queues:
            pipeline.llen(queue)
        (gateways, hanging, *workers), swept, in_hand, *waiting = pipeline.execute()
    return Vitals(
        gateways=gateways,
        workers=dict(zip(queues, workers, strict=True)),
        hanging=hanging,
        sweeping=bool(swept),
        queued=dict(zip(queues, waiting, strict=True)),
        in_hand=in_hand,
    )


def beat_worker(
    client: redis.Redis, name: str, queues: tuple[str, ...], hangs: bool = False
) -> int:
    """One beat of a worker that takes from these queues, and maybe does not get on; gives how many
    tasks wait in them. Raises RedisError."""
    sets = [keys.workers(queue) for queue in queues]
    with client.pipeline(transaction=False) as pipeline:
        pipeline.eval(BEAT, len(sets), *sets, name)
        if hangs:
            pipeline.eval(BEAT, 1, keys.HANGING, name)
        else:
            pipeline.zrem(keys.HANGING, name)
        for queue in queues:
            pipeline.llen(queue)
        return sum(pipeline.execute()[2:])


def worker_gone(client: redis.Redis, name: str, queues: tuple[str, ...]) -> None:
    """Says at once that a worker has ended. Raises RedisError."""
    for queue in queues:
        client.zrem(keys.workers(queue), name)
    client.zrem(keys.HANGING, name)


def swept(client: redis.Redis) -> None:
    """Says that a sweep was done."""
    client.set(keys.SWEPT, 1, ex=SWEPT_S)

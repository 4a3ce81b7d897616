"""Heartbeats: which gateways, workers and hosts are alive, and how much work waits for them.

Gateways, workers and hosts send a heartbeat once a second: a member of a sorted set, its score the
time by the clock of Redis, so that machines need not agree on theirs. Workers send one for each
queue that they consume from. The sweep, which `arena beat` sends and a worker does, leaves a mark
that expires: while it is there, tasks get done.
"""

from __future__ import annotations

from dataclasses import dataclass

import redis

from arena.live import keys
from arena.live.queues import PLAY, QUEUES

BEAT_S = 1.0
ALIVE_S = 5  # since the last beat
SWEPT_S = 15  # sweeps come once a second

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


_ALIVE = """
local alive = redis.call('TIME')[1] - ARGV[1]
local names = {}
for i, key in ipairs(KEYS) do names[i] = redis.call('ZRANGEBYSCORE', key, alive, '+inf') end
return names
"""


@dataclass(frozen=True)
class Vitals:
    """Gateways alive, workers alive by queue, how many of them hang, whether sweeps get done, what
    waits in each queue (for PLAY batches, otherwise tasks), batches that are played, and hosts
    alive."""

    gateways: int
    workers: dict[str, int]
    hanging: int
    sweeping: bool
    queued: dict[str, int]
    played: int
    hosts: int = 0


def vitals(client: redis.Redis, queues: tuple[str, ...] = QUEUES) -> Vitals:
    """The heartbeats as of now, in one round trip. Raises RedisError."""
    sets = [keys.GATEWAYS, keys.HOSTS, keys.HANGING, *map(keys.workers, queues)]
    with client.pipeline(transaction=False) as pipeline:
        pipeline.eval(_COUNT, len(sets), *sets, ALIVE_S)
        pipeline.exists(keys.SWEPT)
        pipeline.eval(_COUNT, 1, keys.PLAYING, 0)
        for queue in queues:
            if queue == PLAY:  # in which there are fewer tasks than batches
                pipeline.zcard(keys.READY_SINCE)
            else:
                pipeline.llen(queue)
        (gateways, hosts, hanging, *workers), swept, (played,), *waiting = pipeline.execute()
    return Vitals(
        gateways=gateways,
        workers=dict(zip(queues, workers, strict=True)),
        hanging=hanging,
        sweeping=bool(swept),
        queued=dict(zip(queues, waiting, strict=True)),
        played=played,
        hosts=hosts,
    )


def beat_worker(
    client: redis.Redis, name: str, queues: tuple[str, ...], hangs: bool = False
) -> int:
    """One heartbeat of a worker that consumes from these queues, and may hang; returns how many
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


def workers_on(client: redis.Redis, host: str) -> dict[str, bool]:
    """The workers alive on a machine (or in a container), by name; True for those that hang.
    Raises RedisError."""
    sets = [keys.HANGING, *map(keys.workers, QUEUES)]
    hanging, *by_queue = client.eval(_ALIVE, len(sets), *sets, ALIVE_S)
    alive = {name for names in by_queue for name in names}
    here = {name for name in alive if name.decode().endswith(f"@{host}")}
    return {name.decode(): name in hanging for name in here}


def worker_gone(client: redis.Redis, name: str, queues: tuple[str, ...]) -> None:
    """Removes a worker's heartbeats at once. Raises RedisError."""
    for queue in queues:
        client.zrem(keys.workers(queue), name)
    client.zrem(keys.HANGING, name)


def swept(client: redis.Redis) -> None:
    """Notes that a sweep was done."""
    client.set(keys.SWEPT, 1, ex=SWEPT_S)

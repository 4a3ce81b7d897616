"""Heartbeats of processes, and the work that waits for them.

Gateways, workers, hosts and beat send a heartbeat every second: a member of a sorted set, scored by
the clock of Redis, so that the machines' clocks do not matter. Workers send one per queue that they
consume from. A process removes its heartbeat when it ends. The sweep, which beat sends and a worker
runs, sets an expiring mark. While the mark exists, workers run tasks.
"""

import os
import re
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import redis

from arena.service.live import clocks, keys
from arena.service.live.queues import PLAY, QUEUES

BEAT_S = 1.0
ALIVE_S = 5  # since the last heartbeat
FORGET_S = 300  # after which a silent process is forgotten
SWEPT_S = 20  # sweeps run every second, or every 5 s in an idle arena

BEAT = f"""
local now = redis.call('TIME')[1]
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, now, ARGV[1])
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - {FORGET_S})
  redis.call('EXPIRE', key, {FORGET_S})
end
"""

# Returns the members of each set with the age of their last heartbeat in seconds.
_HEARD = """
local now = redis.call('TIME')[1]
local beats = {}
for i, key in ipairs(KEYS) do
  local members = redis.call('ZRANGEBYSCORE', key, now - ARGV[1], '+inf', 'WITHSCORES')
  for place = 2, #members, 2 do members[place] = now - members[place] end
  beats[i] = members
end
return beats
"""
_COUNT = """
return redis.call('ZCOUNT', KEYS[1], redis.call('TIME')[1], '+inf')
"""
_PROCESS = re.compile(r"(?:.*-)?(\d+)@(.+)")  # "arena-4711@machine"
LONG_AGO_S = 10**9


@dataclass(frozen=True)
class Silent:
    """A process whose heartbeats stopped although it did not end normally."""

    kind: str  # "gateway", "worker", "host", "beat"
    name: str
    seconds: int  # since its last heartbeat
    gone: bool = False  # whether it ran on this machine and no longer exists


@dataclass(frozen=True)
class Vitals:
    """The processes alive, and the work that waits."""

    gateways: int
    workers: dict[str, int]  # by queue
    hanging: int  # workers
    sweeping: bool  # whether sweeps are completed
    queued: dict[str, int]  # by queue: batches for PLAY, otherwise tasks
    played: int  # batches
    hosts: int = 0
    beats: int = 0
    silent: tuple[Silent, ...] = ()
    up_s: int = LONG_AGO_S  # for which Redis has been running


def vitals(client: redis.Redis) -> Vitals:
    """The heartbeats as of now, in one round trip. Raises RedisError."""
    sets = [keys.GATEWAYS, keys.HOSTS, keys.BEATS, keys.HANGING, *map(keys.workers, QUEUES)]
    with client.pipeline(transaction=False) as pipeline:
        pipeline.eval(_HEARD, len(sets), *sets, FORGET_S)
        pipeline.exists(keys.SWEPT)
        pipeline.eval(_COUNT, 1, keys.PLAYING)
        pipeline.info("server")
        for queue in QUEUES:
            if queue == PLAY:  # a task plays several batches
                pipeline.zcard(keys.READY_SINCE)
            else:
                pipeline.llen(queue)
        beats, swept, played, server, *waiting = pipeline.execute()
    gateways, hosts, beat, hanging, *workers = map(_ages, beats)
    by_queue = dict(zip(QUEUES, workers, strict=True))
    kinds = {"gateway": gateways, "worker": by_queue[PLAY], "host": hosts, "beat": beat}
    return Vitals(
        gateways=_alive(gateways),
        workers={queue: _alive(ages) for queue, ages in by_queue.items()},
        hanging=_alive(hanging),
        sweeping=bool(swept),
        queued=dict(zip(QUEUES, waiting, strict=True)),
        played=played,
        hosts=_alive(hosts),
        beats=_alive({name: age for name, age in beat.items() if not _gone(name)}),
        silent=tuple(each for kind, ages in kinds.items() for each in _silent(kind, ages)),
        up_s=int(server.get("uptime_in_seconds", LONG_AGO_S)),
    )


def _ages(members: list[Any]) -> dict[str, int]:
    names = (name.decode() for name in members[::2])
    return dict(zip(names, map(int, members[1::2]), strict=True))


def _alive(ages: Mapping[str, int]) -> int:
    return sum(age <= ALIVE_S for age in ages.values())


def _silent(kind: str, ages: Mapping[str, int]) -> Iterator[Silent]:
    for name, age in sorted(ages.items()):
        if age > ALIVE_S:
            yield Silent(kind, name, age, _gone(name))


def _gone(name: str) -> bool:
    """Whether a process ran on this machine and no longer exists."""
    found = _PROCESS.fullmatch(name)
    if not found or found[2] != socket.gethostname():
        return False
    try:
        os.kill(int(found[1]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it belongs to another user
        pass
    return False


def beat_worker(
    client: redis.Redis, name: str, queues: tuple[str, ...], hangs: bool = False
) -> int:
    """Sends a heartbeat of a worker that consumes from these queues. Returns the number of tasks
    in them. Raises RedisError."""
    sets = [keys.workers(queue) for queue in queues]
    with client.pipeline(transaction=False) as pipeline:
        pipeline.eval(BEAT, len(sets), *sets, name)
        if hangs:
            pipeline.eval(BEAT, 1, keys.HANGING, name)
        else:
            pipeline.zrem(keys.HANGING, name)
        for queue in queues:
            pipeline.llen(queue)
        queued = sum(pipeline.execute()[2:])
    clocks.keep_reported(client, "worker")
    return int(queued)


def alive_on(client: redis.Redis, machine: str, *sets: str) -> set[str]:
    """The names (NAME@MACHINE) of processes on a machine or in a container with a recent heartbeat
    in one of these sets. Raises RedisError."""
    heard = client.eval(_HEARD, len(sets), *sets, ALIVE_S)
    names = {name for members in heard for name in _ages(members)}
    return {name for name in names if name.endswith(f"@{machine}")}


def worker_gone(client: redis.Redis, name: str, queues: tuple[str, ...]) -> None:
    """Removes a worker's heartbeats. Raises RedisError."""
    for queue in queues:
        client.zrem(keys.workers(queue), name)
    client.zrem(keys.HANGING, name)


def swept(client: redis.Redis) -> None:
    client.set(keys.SWEPT, 1, ex=SWEPT_S)


def this_process(kind: str) -> str:
    """The name of this process in a set of heartbeats."""
    return f"{kind}-{os.getpid()}@{socket.gethostname()}"

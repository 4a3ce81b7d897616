"""Leases: who plays a batch, as a key in Redis that expires unless it is renewed.

The key holds the name of the run while the batch is played, and "queued" while a task of its own
waits in the queue. A batch without a key that does not wait in `arena.service.live.ready` either
was lost; the sweep hands it out again. Playing a batch twice at once would only waste time, since
results are stored once; the lease prevents the waste. While a person thinks, the key says so, for
a while: see `arena.service.live.people`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import redis

from arena.service.live import people
from arena.service.live.keys import PLAYING, failures
from arena.service.live.keys import batch as key
from arena.store.engine import LOCK_MS
from workers.schedule.schedule import RENEW_S

QUEUED = people.QUEUED
QUEUED_S = 120  # a queue that takes longer to come round gets the task twice, which does no harm
# A run that waits for a lock in PostgreSQL does not renew its leases.
HELD_S = math.ceil(RENEW_S + LOCK_MS / 1000) + 1
FAILED = b"failed"  # until it may be handed out again
FAILURES_S = 300  # how long it is remembered that playing a batch failed
LONGEST_PAUSE_S = 16

_TAKE = """
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] and held ~= ARGV[3] and held ~= ARGV[4] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
redis.call('ZADD', KEYS[2], redis.call('TIME')[1] + ARGV[2], ARGV[5])
return 1
"""
_RENEW = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('ZADD', KEYS[2], redis.call('TIME')[1] + ARGV[2], ARGV[3])
return redis.call('EXPIRE', KEYS[1], ARGV[2])
"""
_RELEASE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[2])
return redis.call('DEL', KEYS[1])
"""

_FAIL = """
local count = redis.call('INCR', KEYS[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return count end
redis.call('ZREM', KEYS[3], ARGV[5])
if count == 1 then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[2], 'EX', math.min(2 ^ (count - 2), tonumber(ARGV[4])))
end
return count
"""


def queue(client: redis.Redis, tournament: int, batch: int) -> bool:
    """Marks a batch as queued; False if it is queued or played already."""
    return bool(client.set(key(tournament, batch), QUEUED, nx=True, ex=QUEUED_S))


def unqueue(client: redis.Redis, tournament: int, batch: int) -> None:
    """Takes the mark back, of a task that could not be sent; it may have arrived nevertheless,
    and who plays it is left alone."""
    client.eval(_RELEASE, 2, key(tournament, batch), PLAYING, QUEUED, f"{tournament}:{batch}")


def failed(client: redis.Redis, tournament: int, batches: Sequence[int]) -> set[int]:
    """Those of these batches that ended in an error a while ago: each is played in a run of its
    own, so that its error does not become that of others."""
    if not batches:
        return set()
    marks = client.mget([failures(tournament, number) for number in batches])
    return {number for number, mark in zip(batches, marks, strict=True) if mark is not None}


def renew_all(client: redis.Redis, leases: Sequence[Lease]) -> list[bool]:
    """Renews leases, in one round trip; False for each that was lost."""
    with client.pipeline(transaction=False) as pipeline:
        for lease in leases:
            pipeline.eval(_RENEW, 2, lease.key, PLAYING, lease.holder, HELD_S, lease.member)
        return [bool(one) for one in cast("list[int]", pipeline.execute())]


class Lease:
    """One run's lease of a batch. `holder` is the Celery task's id.

    A message that comes back after its worker died has the same id, so that the new run takes
    over without waiting for the dead one's lease to expire.
    """

    def __init__(self, client: redis.Redis, tournament: int, batch: int, holder: str) -> None:
        self.client = client
        self.tournament = tournament
        self.key = key(tournament, batch)
        self.failures = failures(tournament, batch)
        self.member = f"{tournament}:{batch}"
        self.holder = holder.encode()

    def take(self) -> bool:
        """Claims the batch; False if another run holds it."""
        values = (self.holder, str(HELD_S), QUEUED, people.THINKING, self.member)
        return bool(self.client.eval(_TAKE, 2, self.key, PLAYING, *values))

    def renew(self) -> bool:
        """Renews the lease; False if it was lost."""
        return renew_all(self.client, [self])[0]

    def wait_for_person(self, reply_list: str) -> bool:
        """Gives the lease up until a person answers; False if they have done so by now."""
        return people.wait_for_answer(self.client, self.key, self.holder, reply_list)

    def release(self) -> None:
        """Releases the lease."""
        self.client.eval(_RELEASE, 2, self.key, PLAYING, self.holder, self.member)

    def fail(self) -> bool:
        """Gives the lease up after an error; returns whether the batch may be handed out again at
        once. The first time it may, then after 1, 2, 4, ... seconds: an error that does not pass
        must not keep the workers busy."""
        names = (self.key, self.failures, PLAYING)
        values = (self.holder, FAILED, str(FAILURES_S), str(LONGEST_PAUSE_S), self.member)
        return bool(self.client.eval(_FAIL, 3, *names, *values) == 1)

"""Leases of runs on batches: keys in Redis that expire unless they are renewed.

The value is the run's holder while the batch is played, "queued" while a separate task for it waits
in the queue, and "person" while a person thinks (see `arena.service.live.people`). A batch that has
no key and is not in `arena.service.live.ready` was lost, and the sweep queues it again. Playing a
batch twice at once would only waste time, because results are stored once.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from typing import cast

import redis

from arena.service.live import people
from arena.service.live.keys import PLAYING, failures, outages
from arena.service.live.keys import batch as key
from arena.store.engine import LOCK_MS
from workers.schedule.schedule import RENEW_S

QUEUED = people.QUEUED
QUEUED_S = 120  # after which the task is sent again, which is harmless
# Longer than a run may wait for a database lock, during which it does not renew its leases.
HELD_S = math.ceil(RENEW_S + LOCK_MS / 1000) + 1
FAILED = b"failed"  # the value during the pause after an error
FAILURES_S = 300  # lifetime of a batch's count of errors
LONGEST_PAUSE_S = 16

_TAKE = """
local held = redis.call('GET', KEYS[1])
local function task(holder) return holder:match('^[^/]*') end
if held and task(held) ~= task(ARGV[1]) and held ~= ARGV[3] and held ~= ARGV[4] then return 0 end
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
    """Marks a batch as queued. Returns False if it is queued or played already."""
    return bool(client.set(key(tournament, batch), QUEUED, nx=True, ex=QUEUED_S))


def unqueue(client: redis.Redis, tournament: int, batch: int) -> None:
    """Removes the mark of a batch whose task could not be sent. If the task has arrived anyway, its
    lease is left alone."""
    client.eval(_RELEASE, 2, key(tournament, batch), PLAYING, QUEUED, f"{tournament}:{batch}")


def failed(client: redis.Redis, tournament: int, batches: Sequence[int]) -> set[int]:
    """The batches among these that had a recent error. Each is played in a separate run, so that
    its error does not affect others."""
    if not batches:
        return set()
    marks = client.mget([failures(tournament, number) for number in batches])
    return {number for number, mark in zip(batches, marks, strict=True) if mark is not None}


def renew_all(client: redis.Redis, leases: Sequence[Lease]) -> list[bool]:
    """Renews leases in one round trip. Returns False for each lost one."""
    with client.pipeline(transaction=False) as pipeline:
        for lease in leases:
            pipeline.eval(_RENEW, 2, lease.key, PLAYING, lease.holder, HELD_S, lease.member)
        return [bool(one) for one in cast("list[int]", pipeline.execute())]


def new_holder(task: str) -> str:
    """The holder of the leases of a new run of the Celery task with this id."""
    return f"{task}/{secrets.token_hex(4)}"


def task_of(holder: str) -> str:
    """The id of the task of a run."""
    return holder.partition("/")[0]


class Lease:
    """A run's lease of a batch. `holder` is from `new_holder`.

    If a worker dies, its task is delivered again with the same id, so the new run takes over
    without waiting for the lease to expire. A run that is still alive then loses its leases.
    """

    def __init__(self, client: redis.Redis, tournament: int, batch: int, holder: str) -> None:
        self.client = client
        self.tournament = tournament
        self.key = key(tournament, batch)
        self.failures, self.outages = failures(tournament, batch), outages(tournament, batch)
        self.member = f"{tournament}:{batch}"
        self.holder = holder.encode()

    def take(self) -> bool:
        """Takes the lease. Returns False if another run holds it."""
        values = (self.holder, str(HELD_S), QUEUED, people.THINKING, self.member)
        return bool(self.client.eval(_TAKE, 2, self.key, PLAYING, *values))

    def renew(self) -> bool:
        """Renews the lease. Returns False if it was lost."""
        return renew_all(self.client, [self])[0]

    def wait_for_person(self, reply_list: str, within_s: float) -> bool:
        """Gives up the lease until a person answers, or for `within_s` seconds, the rest of the
        move time. Returns False if the person has answered."""
        return people.wait_for_answer(self.client, self.key, self.holder, reply_list, within_s)

    def release(self) -> None:
        self.client.eval(_RELEASE, 2, self.key, PLAYING, self.holder, self.member)

    def fail(self, *, outage: bool = False) -> bool:
        """Gives up the lease after an error of the batch or an `outage` of the database or Redis.
        Returns whether the batch may be queued again at once: only after the first error. Further
        ones lead to pauses of 1, 2, 4, ... seconds, so that a permanent error does not keep the
        workers busy."""
        names = (self.key, self.outages if outage else self.failures, PLAYING)
        values = (self.holder, FAILED, str(FAILURES_S), str(LONGEST_PAUSE_S), self.member)
        return bool(self.client.eval(_FAIL, 3, *names, *values) == 1)

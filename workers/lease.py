"""Leases: who plays a batch, as a key in Redis that expires unless it is renewed.

The key says "queued" while the task waits in the queue, and the name of the run while it is
played. A batch without a key was lost; the sweep hands it out again. Playing a batch twice at once
would only waste time, since results are stored once; the lease prevents the waste. While a person
thinks, the key says so, for a while: see `arena.live.people`.
"""

from __future__ import annotations

import redis

from arena.live import people
from arena.live.keys import batch as key
from arena.live.keys import failures

QUEUED = people.QUEUED
QUEUED_S = 120  # a queue that takes longer to come round gets the task twice, which does no harm
HELD_S = 15  # longer than the longest wait for a busy database; renewed every RENEW_S
FAILED = b"failed"  # until it may be handed out again
FAILURES_S = 300  # how long it is remembered that playing a batch failed
LONGEST_PAUSE_S = 16

_TAKE = """
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] and held ~= ARGV[3] and held ~= ARGV[4] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1
"""
_RENEW = """
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return 0
"""
_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""

_FAIL = """
local count = redis.call('INCR', KEYS[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return count end
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


def is_taken(client: redis.Redis, tournament: int, batch: int) -> bool:
    """Whether a batch is queued, played, or waits for a person."""
    return bool(client.exists(key(tournament, batch)))


def unqueue(client: redis.Redis, tournament: int, batch: int) -> None:
    """Takes the mark back, of a task that could not be sent; it may have arrived nevertheless,
    and who plays it is left alone."""
    client.eval(_RELEASE, 1, key(tournament, batch), QUEUED)


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
        self.holder = holder.encode()

    def beside(self, batch: int) -> Lease:
        """The same run's lease of another batch of the tournament."""
        return Lease(self.client, self.tournament, batch, self.holder.decode())

    def take(self) -> bool:
        """Claims the batch; False if another run holds it."""
        values = (self.holder, str(HELD_S), QUEUED, people.THINKING)
        return bool(self.client.eval(_TAKE, 1, self.key, *values))

    def take_queued(self) -> bool:
        """Claims the batch if its task still waits in the queue, where it will find nothing to do;
        or if this task held it before, in a worker that died. One that failed is left to a run of
        its own."""
        waits = self.client.get(self.key) in (QUEUED, self.holder)
        return waits and not self.has_failed() and self.take()

    def renew(self) -> bool:
        """Renews the lease; False if it was lost."""
        return bool(self.client.eval(_RENEW, 1, self.key, self.holder, str(HELD_S)))

    def wait_for_person(self, reply_list: str) -> bool:
        """Gives the lease up until a person answers; False if they have done so by now."""
        return people.wait_for_answer(self.client, self.key, self.holder, reply_list)

    def release(self) -> None:
        """Releases the lease."""
        self.client.eval(_RELEASE, 1, self.key, self.holder)

    def fail(self) -> bool:
        """Gives the lease up after an error; returns whether the batch may be handed out again at
        once. The first time it may, then after 1, 2, 4, ... seconds: an error that does not pass
        must not keep the workers busy."""
        values = (self.holder, FAILED, str(FAILURES_S), str(LONGEST_PAUSE_S))
        return bool(self.client.eval(_FAIL, 2, self.key, self.failures, *values) == 1)

    def has_failed(self) -> bool:
        """Whether playing the batch ended in an error a while ago."""
        return bool(self.client.exists(self.failures))

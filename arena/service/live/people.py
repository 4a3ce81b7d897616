"""People at tables: who has the page open, what they answer, and the match that waits for them.

While a person thinks no worker waits: the match is suspended with a checkpoint in the database,
and its batch's lease says "person". An answer goes to the worker's reply list, as a gateway's
would, and in the same step takes the lease out of that state; whoever gave it has the batch
queued again.

To the workers a person is a player whose gateway is `PAGE`. It holds no decisions: the open one
is in the checkpoint, so nothing is lost with a page, a dashboard or a Redis.
"""

from __future__ import annotations

from dataclasses import dataclass

import redis

from arena.base import instant
from arena.protocol.internal.relay_pb2 import Replies
from arena.service.live import keys
from arena.service.live.mailbox import MAIL_TTL_S
from arena.service.live.player_presence import PAGE, Presence, encode

# A page that sent nothing for so long is gone: long enough for a phone that was locked briefly.
GRACE_S = 180
GONE_S = 3600

# A lease's value while a person thinks, and how often a worker checks nevertheless; its value while
# the batch is on its way to a worker, and after how long it counts as lost.
THINKING = b"person"
LOOK_S = 20
QUEUED = b"queued"
QUEUED_S = 10

# An answer that no worker took within this time may be given again.
ANSWERED_S = 30


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked: whose batch it is, and where the answer goes."""

    tournament: int
    batch: int
    ticket: int
    reply_to: str
    asked: float  # Unix seconds


def mark_present(client: redis.Redis, player: int, bot: str, game: str, seats: int) -> None:
    """A person has the page of the table open, and so is connected for the next `GRACE_S`.

    Whoever left stays gone.
    """
    if has_left(client, player):
        return
    seen = Presence(
        player=player,
        bot=bot,
        version="",
        gateway=PAGE,
        session="1",
        since=instant.now(),
        games=(game,),
        min_seats=seats,
        max_seats=seats,
        max_in_flight=1,
        sdk="browser",
    )
    with client.pipeline() as pipeline:
        pipeline.set(keys.presence(player), encode(seen), ex=GRACE_S)
        pipeline.delete(keys.gone(player))
        pipeline.execute()


def leave(client: redis.Redis, player: int) -> None:
    """A person leaves the table: nobody waits for them any more."""
    with client.pipeline() as pipeline:
        pipeline.delete(keys.presence(player))
        pipeline.set(keys.gone(player), int(instant.now()), ex=GONE_S)
        pipeline.set(keys.left(player), 1, ex=GONE_S)
        pipeline.execute()


def has_left(client: redis.Redis, player: int) -> bool:
    """Whether a person left this table."""
    return bool(client.exists(keys.left(player)))


_ANSWER = """
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2]) then return -1 end
redis.call('RPUSH', KEYS[2], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[4])
if redis.call('GET', KEYS[3]) ~= ARGV[5] then return 0 end
redis.call('SET', KEYS[3], ARGV[6], 'EX', ARGV[7])
return 1
"""


def answer(client: redis.Redis, question: Question, index: int) -> tuple[bool, bool]:
    """Gives an action, by its stable index, to the worker.

    Returns whether it was the first answer, and whether the batch is to be sent to the workers
    because nobody plays it; its lease says "queued" then.
    """
    latency_us = min(max(0, round((instant.now() - question.asked) * 1e6)), 2**32 - 1)
    replies = Replies(tickets=[question.ticket], indices=[index], latencies_us=[latency_us])
    done = client.eval(
        _ANSWER,
        3,
        keys.answered(question.ticket),
        question.reply_to,
        keys.batch(question.tournament, question.batch),
        str(index),
        str(ANSWERED_S),
        replies.SerializeToString(),
        str(MAIL_TTL_S),
        THINKING,
        QUEUED,
        str(QUEUED_S),
    )
    return done != -1, done == 1


def answered(client: redis.Redis, ticket: int) -> int | None:
    """The action that a question was answered with a moment ago, if it was."""
    index = client.get(keys.answered(ticket))
    return None if index is None else int(index)


_WAIT = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
"""


def wait_for_answer(client: redis.Redis, lease: str, holder: bytes, reply_list: str) -> bool:
    """Turns a run's lease into the note that a person thinks; False if they answered meanwhile."""
    done = client.eval(_WAIT, 2, lease, reply_list, holder, THINKING, str(LOOK_S))
    return bool(done)


_WAKE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
"""


def wake(client: redis.Redis, tournament: int, batch: int) -> bool:
    """Ends the wait for a person; returns whether the batch is to be sent to the workers."""
    lease = keys.batch(tournament, batch)
    return bool(client.eval(_WAKE, 1, lease, THINKING, QUEUED, str(QUEUED_S)))

"""Games against people: their presence, their answers, and the suspended matches.

While a person thinks, no worker waits. The match is suspended with a checkpoint in the database,
and the lease of its batch has the value "person". An answer goes to the worker's reply list, as
from a gateway. The same script ends the waiting state, and the caller then queues the batch.

To workers, a person is a player whose gateway is `PAGE`. The open decision is in the checkpoint, so
it survives the loss of a page, a dashboard or Redis.
"""

from dataclasses import dataclass
from math import ceil

import redis

from arena.base import instant
from arena.protocol.internal.relay_pb2 import Replies
from arena.service.live import keys
from arena.service.live.mailbox import MAIL_TTL_S
from arena.service.live.player_presence import PAGE, Presence, encode

GRACE_S = 180  # after which a silent page counts as closed; enough for a briefly locked phone
GONE_S = 3600

# The value of a lease while a person thinks, and its lifetime, after which a worker checks the
# match; the value while the batch is queued, and its lifetime, after which it counts as lost.
THINKING = b"person"
LOOK_S = 20
QUEUED = b"queued"
QUEUED_S = 10

ANSWERED_S = 30  # after which an answer that no worker took may be sent again


@dataclass(frozen=True, slots=True)
class Question:
    """A person's open decision: its batch, and the list for the answer."""

    tournament: int
    batch: int
    ticket: int
    reply_to: str
    asked: float  # Unix seconds


def mark_present(client: redis.Redis, player: int, bot: str, game: str, seats: int) -> None:
    """Marks a person whose page is open as connected for the next `GRACE_S` seconds, unless they
    left the game."""
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
    """Marks a person as having left the game, so that it no longer waits for them."""
    with client.pipeline() as pipeline:
        pipeline.delete(keys.presence(player))
        pipeline.set(keys.gone(player), int(instant.now()), ex=GONE_S)
        pipeline.set(keys.left(player), 1, ex=GONE_S)
        pipeline.execute()


def has_left(client: redis.Redis, player: int) -> bool:
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
    """Sends an action, by its stable index, to the worker.

    Returns whether it was the first answer, and whether the caller has to send the batch to the
    workers because none plays it. In that case the lease has the value "queued".
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
    """The action of a recent answer to this decision, if any."""
    index = client.get(keys.answered(ticket))
    return None if index is None else int(index)


_WAIT = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
"""


def wait_for_answer(
    client: redis.Redis, lease: str, holder: bytes, reply_list: str, within_s: float
) -> bool:
    """Changes a run's lease to the waiting state, for `within_s` seconds, the rest of the move
    time, or `LOOK_S`. Returns False if the person has answered."""
    look_s = min(LOOK_S, max(1, ceil(within_s)))
    done = client.eval(_WAIT, 2, lease, reply_list, holder, THINKING, str(look_s))
    return bool(done)


_WAKE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
"""


def wake(client: redis.Redis, tournament: int, batch: int) -> bool:
    """Ends the waiting state. Returns whether the caller has to send the batch to the workers."""
    lease = keys.batch(tournament, batch)
    return bool(client.eval(_WAKE, 1, lease, THINKING, QUEUED, str(QUEUED_S)))

"""Replies on their way to the workers, gathered so that one push carries many."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field

import redis
import redis.asyncio
import structlog

from arena.gateway import metrics
from arena.live.mailbox import MAIL_TTL_S
from arena.protocol.internal.relay_pb2 import Replies, Reply

log = structlog.get_logger(__name__)

# A worker's next questions travel in large messages if it gets its answers together. So they wait
# for each other until the last one has come, or so long, as far as many are still to come.
GATHER_S = 0.01
MANY = 8

# A worker reads a list element at a time; this keeps one below a few hundred kilobytes.
MOST_IN_A_BUNDLE = 4096

RETRY_S = 0.5


@dataclass(slots=True)
class Bundle:
    """Replies for one reply list; see Replies in relay.proto."""

    tickets: list[int] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)
    latencies_us: list[int] = field(default_factory=list)
    others: list[Reply] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.tickets) + len(self.others)

    def extend(self, more: Bundle) -> None:
        """Adds the replies of another bundle."""
        self.tickets += more.tickets
        self.indices += more.indices
        self.latencies_us += more.latencies_us
        self.others += more.others

    def encoded(self) -> bytes:
        """As Replies."""
        return Replies(
            tickets=self.tickets,
            indices=self.indices,
            latencies_us=self.latencies_us,
            others=self.others,
        ).SerializeToString()

    def outcomes(self) -> Counter[Reply.Outcome]:
        """How many replies of each kind."""
        counts = Counter([reply.outcome for reply in self.others])
        counts[Reply.ANSWER] += len(self.tickets)
        return counts


class Outbox:
    """Collects replies by reply list, and pushes them from a task of its own.

    A worker has a list for each batch that it plays.
    """

    def __init__(self, client: redis.asyncio.Redis) -> None:
        self._client = client
        self._open = Counter[str]()  # by list: questions that are still to be replied to
        self._bundles: dict[str, Bundle] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._ready: list[tuple[str, Bundle]] = []
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def expect(self, reply_to: str, count: int) -> None:
        """So many questions came to which a reply will go on this list each."""
        self._open[reply_to] += count

    def no_longer(self, reply_to: str) -> None:
        """The reply to a question goes elsewhere."""
        self._open[reply_to] -= 1
        if self._open[reply_to] <= 0:
            self._release(reply_to)

    def add(self, reply_to: str, replies: Bundle) -> None:
        """Puts replies to expected questions on their way."""
        bundle = self._bundles.get(reply_to)
        if bundle is None:
            self._bundles[reply_to] = bundle = replies
            self._idle.clear()
        else:
            bundle.extend(replies)
        left = self._open[reply_to] = self._open[reply_to] - len(replies)
        if left <= 0 or len(bundle) >= MOST_IN_A_BUNDLE:
            self._release(reply_to)
        elif reply_to not in self._timers:
            loop, wait = asyncio.get_running_loop(), GATHER_S if left >= MANY else 0
            self._timers[reply_to] = loop.call_later(wait, self._release, reply_to)

    def _release(self, reply_to: str) -> None:
        """What has gathered for a list is to be pushed."""
        if timer := self._timers.pop(reply_to, None):
            timer.cancel()
        if self._open[reply_to] <= 0:
            del self._open[reply_to]
        if bundle := self._bundles.pop(reply_to, None):
            self._ready.append((reply_to, bundle))
            self._wake.set()

    async def run(self) -> None:
        """Pushes what is ready, until cancelled; while Redis is away it keeps everything."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            bundles, self._ready = self._ready, []
            await self._push(bundles)
            if not self._bundles and not self._ready:
                self._idle.set()

    async def flushed(self) -> None:
        """Waits until everything added so far has been pushed."""
        await self._idle.wait()

    async def _push(self, bundles: list[tuple[str, Bundle]]) -> None:
        # A push that was carried out but not confirmed comes twice; workers take the first.
        while True:
            try:
                async with self._client.pipeline(transaction=False) as pipeline:
                    for reply_to, bundle in bundles:
                        pipeline.rpush(reply_to, bundle.encoded())
                        pipeline.expire(reply_to, MAIL_TTL_S)
                    await pipeline.execute()
            except redis.RedisError as error:
                log.warning("replies wait for Redis", error=str(error))
                await asyncio.sleep(RETRY_S)
            else:
                self._count(bundles)
                return

    @staticmethod
    def _count(bundles: list[tuple[str, Bundle]]) -> None:
        counts = sum([bundle.outcomes() for _, bundle in bundles], Counter[Reply.Outcome]())
        for outcome, count in counts.items():
            metrics.REPLIES.labels(Reply.Outcome.Name(outcome)).inc(count)

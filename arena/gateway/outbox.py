"""Replies on their way to the workers, gathered so that one push carries many."""

from __future__ import annotations

import asyncio
from collections import Counter

import redis
import redis.asyncio
import structlog

from arena.gateway import metrics
from arena.live.mailbox import MAIL_TTL_S
from arena.protocol.internal.relay_pb2 import Replies, Reply

log = structlog.get_logger(__name__)

# Where many answers come at once there are many matches in flight, and other bots' answers are on
# their way: they share a push. Who plays a match or two need not wait for anybody.
MANY = 8
GATHER_S = 0.003

# A worker reads a list element at a time; this keeps one below a few hundred kilobytes.
MOST_IN_A_BUNDLE = 4096

RETRY_S = 0.5


class Outbox:
    """Collects replies by worker, and pushes them from a task of its own."""

    def __init__(self, client: redis.asyncio.Redis) -> None:
        self._client = client
        self._bundles: dict[str, Replies] = {}
        self._full: list[tuple[str, Replies]] = []
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def add(
        self,
        reply_to: str,
        ticket: int,
        outcome: Reply.Outcome,
        *,
        index: int | None = None,
        action: str | None = None,
        error: str | None = None,
        latency_us: int = 0,
    ) -> None:
        """Puts one reply on its way; index, action and error as in relay.proto."""
        bundle = self._bundles.get(reply_to)
        if bundle is None:
            bundle = self._bundles[reply_to] = Replies()
            self._idle.clear()
            self._wake.set()
        bundle.replies.add(
            ticket=ticket,
            outcome=outcome,
            index=index,
            action=action,
            error=error,
            latency_us=latency_us,
        )
        if len(bundle.replies) >= MOST_IN_A_BUNDLE:
            self._full.append((reply_to, self._bundles.pop(reply_to)))

    async def run(self) -> None:
        """Pushes what gathers, until cancelled; while Redis is away it keeps everything."""
        while True:
            await self._wake.wait()
            await asyncio.sleep(GATHER_S if self._crowded() else 0)
            self._wake.clear()
            bundles = [*self._full, *self._bundles.items()]
            self._full, self._bundles = [], {}
            await self._push(bundles)
            if not self._wake.is_set():
                self._idle.set()

    def _crowded(self) -> bool:
        return sum(len(bundle.replies) for bundle in self._bundles.values()) >= MANY

    async def flushed(self) -> None:
        """Waits until everything added so far has been pushed."""
        await self._idle.wait()

    async def _push(self, bundles: list[tuple[str, Replies]]) -> None:
        # A push that was carried out but not confirmed comes twice; workers take the first.
        while True:
            try:
                async with self._client.pipeline(transaction=False) as pipeline:
                    for reply_to, bundle in bundles:
                        pipeline.rpush(reply_to, bundle.SerializeToString())
                        pipeline.expire(reply_to, MAIL_TTL_S)
                    await pipeline.execute()
            except redis.RedisError as error:
                log.warning("replies wait for Redis", error=str(error))
                await asyncio.sleep(RETRY_S)
            else:
                self._count(bundles)
                return

    @staticmethod
    def _count(bundles: list[tuple[str, Replies]]) -> None:
        counts = Counter(reply.outcome for _, bundle in bundles for reply in bundle.replies)
        for outcome, count in counts.items():
            metrics.REPLIES.labels(Reply.Outcome.Name(outcome)).inc(count)

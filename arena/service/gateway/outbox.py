"""Pushes replies to the workers' lists in Redis, in a separate task."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence

import redis
import redis.asyncio
import structlog

from arena.base import tracing
from arena.base.tracing import Tracer
from arena.protocol.internal.relay_pb2 import Reply
from arena.service.gateway import metrics
from arena.service.gateway.sessions.outputs import Bundle, ReplyBuffer
from arena.service.live.mailbox import MAIL_TTL_S
from arena.service.live.redis_error import explain

log = structlog.get_logger(__name__)

RETRY_S = 0.5
DELIVERED, ANSWERED = "delivered", "answered"  # points in the trace of a decision


class Outbox:
    """Pushes the ready replies of a buffer, and releases held ones when they are due."""

    def __init__(self, client: redis.asyncio.Redis, buffer: ReplyBuffer) -> None:
        self._client = client
        self._buffer = buffer
        self._timer: asyncio.TimerHandle | None = None
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def flush(self) -> None:
        """The buffer may have changed."""
        if self._buffer:
            self._idle.clear()
        if self._buffer.ready:
            self._wake.set()
        due = self._buffer.next_due()
        if due is not None and (self._timer is None or due < self._timer.when()):
            if self._timer is not None:
                self._timer.cancel()
            self._timer = asyncio.get_running_loop().call_at(due, self._release_due)

    def _release_due(self) -> None:
        self._timer = None
        self._buffer.release_due(time.monotonic())
        self.flush()

    async def run(self) -> None:
        """Push ready replies until cancelled. Without Redis they are kept."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self._push(self._buffer.take_ready())
            if not self._buffer:
                self._idle.set()

    async def flushed(self) -> None:
        """Wait until everything added so far has been pushed."""
        await self._idle.wait()

    async def _push(self, bundles: Sequence[tuple[str, Bundle]]) -> None:
        encoded = [(reply_to, bundle.encoded()) for reply_to, bundle in bundles]
        # A push that was not confirmed may be repeated; workers take the first reply.
        while True:
            try:
                async with self._client.pipeline(transaction=False) as pipeline:
                    for reply_to, replies in encoded:
                        pipeline.rpush(reply_to, replies)
                        pipeline.expire(reply_to, MAIL_TTL_S)
                    await pipeline.execute()
            except redis.RedisError as error:
                log.warning("replies wait for Redis", reason=explain(error).sentence)
                metrics.REDIS_ERRORS.inc()
                await asyncio.sleep(RETRY_S)
            else:
                for _, replies in encoded:
                    metrics.count_message("to_worker", len(replies))
                self._count(bundles)
                if trace := tracing.tracer():
                    for _, bundle in bundles:
                        _trace(trace, bundle)
                return

    @staticmethod
    def _count(bundles: Sequence[tuple[str, Bundle]]) -> None:
        counts = sum([bundle.outcomes() for _, bundle in bundles], Counter[Reply.Outcome]())
        for outcome, count in counts.items():
            metrics.REPLIES.labels(Reply.Outcome.Name(outcome)).inc(count)


def _trace(trace: Tracer, bundle: Bundle) -> None:
    """Trace replies that are available to a worker."""
    latencies_us = dict(zip(bundle.tickets, bundle.latencies_us, strict=True))
    latencies_us |= {reply.ticket: reply.latency_us for reply in bundle.others}
    for ticket, latency_us in latencies_us.items():
        answered = trace.taken(ticket, ANSWERED)
        if answered is not None:
            trace.span(ticket, "bot", answered - 1000 * latency_us, answered)
    trace.ended(latencies_us, DELIVERED, "gateway")

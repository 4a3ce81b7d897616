"""The loops that listen to Redis, and how they survive an outage."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

import redis
import redis.asyncio
import structlog
from google.protobuf.message import DecodeError

from arena.protocol.internal.relay_pb2 import Delivery, InboxMessage
from arena.service.gateway import metrics
from arena.service.live import keys
from arena.service.live.mailbox import POP_COUNT
from arena.service.live.redis_error import explain

log = structlog.get_logger(__name__)

WAIT_S = 4.0
RETRY_S = 0.5


async def repeat(what: str, step: Callable[[], Awaitable[None]]) -> None:
    """Repeats a step until cancelled; while Redis is away it logs that and retries."""
    away = False
    while True:
        try:
            await step()
        except (redis.RedisError, OSError) as error:
            if not away:
                reason = explain(error).sentence
                log.warning(f"{what} waits for Redis", reason=reason, error=str(error))
                metrics.REDIS_ERRORS.inc()
            away = True
            await asyncio.sleep(RETRY_S)
        else:
            if away:
                log.info(f"{what} has Redis back")
            away = False


class Inbox:
    """Deliveries from the workers, in the order in which they came."""

    def __init__(
        self,
        client: redis.asyncio.Redis,
        gateway_id: str,
        deliver: Callable[[Delivery], None],
    ) -> None:
        self._client = client
        self._list = keys.inbox(gateway_id)
        self._deliver = deliver

    async def run(self) -> None:
        """Delivers what comes, until cancelled."""
        await repeat("the inbox", self._step)

    async def _step(self) -> None:
        first = await self._client.blpop([self._list], timeout=WAIT_S)
        if first is not None:
            self._open(cast("bytes", first[1]))

    async def empty(self) -> None:
        """Delivers all that lies there now."""
        full = True
        while full:
            popped = await self._client.lpop(self._list, POP_COUNT)
            messages = cast("list[bytes] | None", popped) or ()
            for message in messages:
                self._open(message)
            full = len(messages) == POP_COUNT

    def _open(self, message: bytes) -> None:
        metrics.count_message("from_worker", len(message))
        try:
            deliveries = InboxMessage.FromString(message).deliveries
        except DecodeError:
            log.exception("a damaged message is dropped", size=len(message))
        else:
            for delivery in deliveries:
                self._deliver(delivery)

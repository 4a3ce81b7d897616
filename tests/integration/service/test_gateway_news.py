"""A gateway hears of sessions at other gateways, also after its connection has died in silence."""

import asyncio
import errno
from typing import Any, cast

import pytest
import redis

from arena.service.gateway.heartbeat import Heartbeat
from arena.service.live import keys
from arena.service.live.connect import connect_async
from tests.integration.gateway_world import scenario, until


class Sessions:
    """Notes what it is told, as `SessionIO` would carry it out."""

    def __init__(self) -> None:
        self.registry = self
        self.gateway_id = "here"
        self.told: asyncio.Queue[tuple[int, str]] = asyncio.Queue()

    def replaced(self, player: int, session: str) -> None:
        self.told.put_nowait((player, session))


@pytest.mark.timeout(20)  # an event loop that is never left takes all memory in a minute
@scenario
async def test_a_connection_that_the_system_gave_up_is_replaced(
    redis_url: str, redis_client: redis.Redis
) -> None:
    def listened_to() -> bool:
        ((_, listeners),) = cast(Any, redis_client.pubsub_numsub(keys.REPLACED))
        return bool(listeners)

    client = await connect_async(redis_url)
    sessions = Sessions()
    heartbeat = Heartbeat(client, cast(Any, sessions), cast(Any, None), lambda: None)
    listening = asyncio.create_task(heartbeat._listen())
    await until(listened_to)
    await client.publish(keys.REPLACED, "7 41 there")
    assert await sessions.told.get() == (7, "41")

    # What asyncio is told when packets have stayed unanswered for too long.
    (connection,) = cast(Any, client.connection_pool)._in_use_connections
    gave_up = OSError(errno.ETIMEDOUT, "Connection timed out")
    connection._reader.set_exception(gave_up)
    connection._writer.transport.abort()
    await until(lambda: connection._reader and connection._reader.exception() is not gave_up)
    await until(listened_to)
    await client.publish(keys.REPLACED, "7 42 there")

    assert await sessions.told.get() == (7, "42")
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    await client.aclose()

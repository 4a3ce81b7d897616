"""The periodic tasks of a gateway: heartbeats, presences, notifications, rechecks of tokens."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import redis.asyncio
import structlog

from arena.base.errors import Unavailable
from arena.base.keepalive import REFRESH_GATEWAY_S, REFRESH_PRESENCE_S
from arena.service.gateway import logins
from arena.service.gateway.inbox import repeat
from arena.service.gateway.session_io import SessionIO
from arena.service.live import keys
from arena.service.live.presence import beat
from arena.store import Store

log = structlog.get_logger(__name__)

# New streams with a rotated token are refused at once; open ones end within this time.
RECHECK_TOKENS_S = 10.0

# Silence of the other gateways after which the connection is tested.
SILENT_S = 3.0


class Heartbeat:
    """The periodic tasks of one gateway."""

    def __init__(
        self,
        client: redis.asyncio.Redis,
        sessions: SessionIO,
        store: Store,
        beaten: Callable[[], None],
    ) -> None:
        """`beaten` is called after each heartbeat that Redis has taken."""
        self._client = client
        self._sessions = sessions
        self._store = store
        self._beaten = beaten

    def tasks(self) -> tuple[Coroutine[Any, Any, None], ...]:
        """Return coroutines that run until cancelled, each in a separate task."""
        return (
            repeat("the heartbeat", self._beat),
            repeat("presence", self._refresh),
            repeat("the news of other gateways", self._listen),
            self._recheck_tokens(),
        )

    async def _beat(self) -> None:
        await beat(self._client, self._sessions.registry.gateway_id)
        self._beaten()
        await self._sessions.sleep(REFRESH_GATEWAY_S)

    async def _refresh(self) -> None:
        await self._sessions.refresh()
        await asyncio.sleep(REFRESH_PRESENCE_S)

    async def _listen(self) -> None:
        async with self._client.pubsub() as channel:
            await channel.subscribe(keys.REPLACED)
            while True:
                message = await channel.get_message(timeout=SILENT_S)
                if message is None:
                    # Also returned at once if the system has given up the connection, because
                    # redis-py takes ETIMEDOUT for its own timeout. Writing detects that.
                    await channel.ping()
                elif message["type"] == "message":
                    player, session, gateway_id = message["data"].decode().split()
                    # The registry has handled sessions at this gateway itself.
                    if gateway_id != self._sessions.registry.gateway_id:
                        self._sessions.replaced(int(player), session)

    async def _recheck_tokens(self) -> None:
        while True:
            await asyncio.sleep(RECHECK_TOKENS_S)
            streams = self._sessions.registry.logins()
            try:
                reasons = await asyncio.to_thread(logins.revoked, self._store, streams)
            except Unavailable as error:
                log.warning("tokens cannot be rechecked", error=str(error))
                continue
            self._sessions.revoked(reasons)

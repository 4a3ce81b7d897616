"""Tells Redis that this gateway and its bots are here, and hears who moved elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import redis.asyncio
import structlog

from arena.errors import Unavailable
from arena.gateway.auth import Doorkeeper
from arena.gateway.floor import Floor
from arena.gateway.inbox import repeat
from arena.live import keys
from arena.live.presence import REFRESH_GATEWAY_S, REFRESH_PRESENCE_S, beat

log = structlog.get_logger(__name__)

# A rotated token is refused at once; a stream opened with it before ends within this time.
RECHECK_TOKENS_S = 10.0


class Heartbeat:
    """The periodic duties of one gateway."""

    def __init__(self, client: redis.asyncio.Redis, floor: Floor, doorkeeper: Doorkeeper) -> None:
        self._client = client
        self._floor = floor
        self._doorkeeper = doorkeeper

    def duties(self) -> tuple[Coroutine[Any, Any, None], ...]:
        """What is to run until cancelled, each in a task of its own."""
        return (
            repeat("the heartbeat", self._beat),
            repeat("presence", self._refresh),
            repeat("the news of other gateways", self._listen),
            self._recheck_tokens(),
        )

    async def _beat(self) -> None:
        await beat(self._client, self._floor.gateway_id)
        await asyncio.sleep(REFRESH_GATEWAY_S)

    async def _refresh(self) -> None:
        await self._floor.refresh()
        await asyncio.sleep(REFRESH_PRESENCE_S)

    async def _listen(self) -> None:
        async with self._client.pubsub() as channel:
            await channel.subscribe(keys.REPLACED)
            while True:
                message = await channel.get_message(ignore_subscribe_messages=True, timeout=1.0)
                if message is not None:
                    player, session, gateway_id = message["data"].decode().split()
                    # What came to this gateway itself, the floor has settled.
                    if gateway_id != self._floor.gateway_id:
                        self._floor.replaced(int(player), session)

    async def _recheck_tokens(self) -> None:
        while True:
            await asyncio.sleep(RECHECK_TOKENS_S)
            open_sessions = [
                (desk.session, desk.presence.player)
                for desk in self._floor.desks.values()
                if desk.session is not None
            ]
            tokens = {session.token: player for session, player in open_sessions}
            try:
                revoked = await asyncio.to_thread(self._doorkeeper.revoked, tokens)
            except Unavailable as error:
                log.warning("tokens cannot be rechecked", error=str(error))
                continue
            for session, _ in open_sessions:
                if session.token in revoked:
                    session.close(revoked[session.token], reconnect=False)

"""Writes to one gRPC stream what a session has for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from arena.service.gateway import metrics
from arena.service.gateway.limits import CLOSE_WITHIN_S
from arena.service.gateway.sessions import PlayerSession, Stream


class StreamWriter:
    """The task that writes a stream. It sleeps until it is woken."""

    def __init__(self, session: PlayerSession, stream: Stream) -> None:
        self._session = session
        self._stream = stream
        self._wake = asyncio.Event()
        self._closed = asyncio.Event()

    def wake(self) -> None:
        """There may be a message to write."""
        self._wake.set()
        if self._stream.closed:
            self._closed.set()

    async def run(
        self, write: Callable[[bytes], Awaitable[None]], flush: Callable[[], None]
    ) -> None:
        """Writes what there is, in order; returns when the stream is closed and all is written.

        `flush` carries out what follows from a message that was taken to be written.
        """
        session, stream = self._session, self._stream
        while True:
            await self._wake.wait()
            self._wake.clear()
            while (message := session.next_message(stream, time.monotonic())) is not None:
                flush()
                stream.write_started(time.monotonic())
                try:
                    await write(message)
                finally:
                    stream.write_finished()
                metrics.count_message("to_bot", len(message))
            if stream.closed:
                return

    async def overdue(self) -> None:
        """Returns when the stream was closed and the bot has had time to read that."""
        await self._closed.wait()
        await asyncio.sleep(CLOSE_WITHIN_S)

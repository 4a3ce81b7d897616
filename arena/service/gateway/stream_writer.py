"""Writes the messages of a session to its gRPC stream."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from arena.service.gateway import metrics
from arena.service.gateway.limits import CLOSE_WITHIN_S
from arena.service.gateway.sessions import PlayerSession, Stream


class StreamWriter:
    """The task that writes to a stream when it is woken."""

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
        """Write messages in order until the stream is closed and all are written. `flush` carries
        out the outputs of taking a message from the session."""
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
        """Return some time after the stream was closed, so that the bot can read the reason."""
        await self._closed.wait()
        await asyncio.sleep(CLOSE_WITHIN_S)

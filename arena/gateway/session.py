"""One open stream to a bot: what goes out on it, and how it ends."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from arena.gateway.limits import CLOSE_WITHIN_S, MOST_UNSAID, READ_WITHIN_S
from arena.protocol.v1.play_pb2 import ArenaMessage, Closed

UNREAD = (
    "The bot did not read what the arena sent for {:g} s though it had no question to think"
    " about: read the stream to its end. Connect again."
)


class Session:
    """The way out to a bot. Messages leave in order, one at a time, from `run`."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.wake = asyncio.Event()
        self._unsaid: deque[ArenaMessage] = deque()
        self._closing = asyncio.Event()

    def say(self, message: ArenaMessage) -> None:
        """Queues a message, which goes out before any further questions."""
        if not self._closing.is_set() and len(self._unsaid) < MOST_UNSAID:
            self._unsaid.append(message)
            self.wake.set()

    def close(self, reason: str, reconnect: bool) -> None:
        """Ends the session; the bot is told why and whether to come again."""
        if not self._closing.is_set():
            self._unsaid.append(ArenaMessage(closed=Closed(reason=reason, reconnect=reconnect)))
            self._closing.set()
            self.wake.set()

    async def _write(self, write: Callable[[bytes], Awaitable[None]], message: bytes) -> None:
        """Writes one message; the session ends if the bot leaves it unread."""
        self._look_again()
        try:
            await write(message)
        finally:
            self._timer.cancel()

    def _look_again(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(READ_WITHIN_S, self._unread)

    def _unread(self) -> None:
        """A bot may think for as long as it is given before it reads on."""
        if self._thinking():
            self._look_again()
        else:
            self.close(UNREAD.format(READ_WITHIN_S), reconnect=True)

    async def overdue(self) -> None:
        """Returns when the session was closed and the bot has had time to hear of it."""
        await self._closing.wait()
        await asyncio.sleep(CLOSE_WITHIN_S)

    async def run(
        self,
        write: Callable[[bytes], Awaitable[None]],
        next_message: Callable[[], bytes | None],
        thinking: Callable[[], bool],
    ) -> None:
        """Writes what there is to say, then what `next_message` gives; returns once closed.

        `thinking` says whether the bot has a question whose time is not up.
        """
        self._thinking = thinking
        while True:
            await self.wake.wait()
            self.wake.clear()
            while self._unsaid:
                await self._write(write, self._unsaid.popleft().SerializeToString())
            if self._closing.is_set():
                return
            message = next_message()
            if message is not None:
                self.wake.set()  # there may be more
                await self._write(write, message)

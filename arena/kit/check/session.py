"""One session of a bot: messages to and from it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import grpc
import grpc.aio

from arena.games.rules import GAMES
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.protocol.codec import PROTOCOL
from arena.protocol.hello import MOST_IN_FLIGHT
from arena.protocol.v1 import play_pb2 as pb


class Failed(Exception):
    """The bot violated the protocol. The message says how.

    `remedy` is advice for the author, by default the check's."""

    remedy = ""


class Gone(Failed):
    """The bot ended the stream."""

    def __init__(self) -> None:
        super().__init__("The bot ended the stream.")


class CannotPlay(Failed):
    """The bot did not answer a decision with a legal action, so most checks would fail."""

    def __init__(self, sentence: str, remedy: str) -> None:
        super().__init__(sentence)
        self.remedy = remedy


Ending = tuple[grpc.StatusCode, str] | None


class Session:
    """From the bot's Hello to the end of the stream."""

    def __init__(self, write: Callable[[bytes], Awaitable[None]], *, authorized: bool) -> None:
        self.authorized = authorized
        self.ending: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        self.hello = pb.Hello()
        self._write = write
        self._read: asyncio.Queue[pb.BotMessage | None] = asyncio.Queue()

    async def read(self, requests: AsyncIterator[pb.BotMessage]) -> None:
        """Queue the bot's messages until the stream ends."""
        async for message in requests:
            self._read.put_nowait(message)
        self.gone()

    def gone(self) -> None:
        """Mark the stream as ended by the bot or broken."""
        self._read.put_nowait(None)
        self.end()

    def end(self, ending: Ending = None) -> None:
        """End the call, with a status if one is given."""
        if not self.ending.done():
            self.ending.set_result(ending)

    async def send(self, message: pb.ArenaMessage, more: bytes = b"") -> None:
        """Send a message, followed by `more`, the bytes of unknown fields."""
        if self.ending.done():
            raise Gone
        try:
            await self._write(message.SerializeToString() + more)
        except grpc.aio.BaseError:  # the bot has gone, before the reader noticed
            raise Gone from None

    async def heard(self, within_s: float | None = None) -> pb.BotMessage:
        """Return the next message. Raises Gone if the stream ends, TimeoutError if none comes."""
        message = await asyncio.wait_for(self._read.get(), within_s)
        if message is None:
            self._read.put_nowait(None)
            raise Gone
        return message

    async def ended(self, within_s: float) -> None:
        """Wait until the bot has gone, ignoring its messages. Raises TimeoutError."""
        async with asyncio.timeout(within_s):
            while await self._read.get() is not None:
                pass

    async def welcome(self, within_s: float, name: str = "checked") -> None:
        """Receive the bot's Hello and answer it. Raises Failed."""
        try:
            first = await self.heard(within_s)
        except TimeoutError:
            raise Failed(
                f"The bot opened a stream, but sent no Hello within {within_s:.0f} s."
            ) from None
        if first.WhichOneof("kind") != "hello":
            raise Failed("The bot's first message was not a Hello.")
        self.hello = first.hello
        welcome = pb.Welcome(
            bot=name,
            version="1",
            session="check",
            max_in_flight=self.in_flight,
            grace_ms=30_000,
        )
        await self.send(pb.ArenaMessage(welcome=welcome))

    def check_hello(self) -> None:
        """Raise Failed unless the Hello is valid."""
        said, seats = self.hello, self.seats
        if not self.authorized:
            raise Failed(
                'The bot did not send the metadata "authorization: Bearer TOKEN" with its token.'
            )
        if said.protocol != PROTOCOL:
            raise Failed(f"The Hello has protocol {said.protocol} instead of {PROTOCOL}.")
        if unknown := [game for game in said.games if game not in GAMES]:
            raise Failed(
                f"The Hello has unknown games: {', '.join(unknown)}. Known: {', '.join(GAMES)}."
            )
        if not said.games or not FEWEST_SEATS <= seats.start < seats.stop <= MOST_SEATS + 1:
            raise Failed(
                f"The Hello has {len(said.games)} games at {seats.start} to {seats.stop - 1} seats."
                f" It needs at least one game, and {FEWEST_SEATS} to {MOST_SEATS} seats."
            )
        if self.in_flight > MOST_IN_FLIGHT:
            raise Failed(
                f"The Hello has max_in_flight {said.max_in_flight}, over {MOST_IN_FLIGHT}."
            )

    @property
    def in_flight(self) -> int:
        """The maximum number of open decisions."""
        return self.hello.max_in_flight or 1

    @property
    def seats(self) -> range:
        """The supported numbers of seats."""
        return range(self.hello.min_seats or 2, (self.hello.max_seats or 6) + 1)

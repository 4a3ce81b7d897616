"""One session of a bot: what is sent to it, and what it answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import grpc
import grpc.aio

from arena.games.rules import GAMES
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.protocol.codec import PROTOCOL
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.declared import MOST_IN_FLIGHT


class Failed(Exception):
    """The bot does not keep to the contract; says what it did."""


class NoAnswer(Failed):
    """It did not answer a decision in time."""


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
        """Takes what the bot sends, until it ends its side."""
        async for message in requests:
            self._read.put_nowait(message)
        self.gone()

    def gone(self) -> None:
        """The bot ended the stream, or it broke."""
        self._read.put_nowait(None)
        self.end()

    def end(self, ending: Ending = None) -> None:
        """Ends the call, with a status if one is given."""
        if not self.ending.done():
            self.ending.set_result(ending)

    async def send(self, message: pb.ArenaMessage, more: bytes = b"") -> None:
        """Sends a message, with bytes after it as of fields that the bot does not know."""
        if self.ending.done():
            raise Failed("It ended the stream.")
        try:
            await self._write(message.SerializeToString() + more)
        except grpc.aio.BaseError:  # it has gone, and that was not heard of yet
            raise Failed("It ended the stream.") from None

    async def heard(self, within_s: float | None = None) -> pb.BotMessage:
        """The next message. Raises Failed if the stream ends, TimeoutError if none comes."""
        message = await asyncio.wait_for(self._read.get(), within_s)
        if message is None:
            self._read.put_nowait(None)
            raise Failed("It ended the stream.")
        return message

    async def ended(self, within_s: float) -> None:
        """Waits until the bot has gone, whatever else it says. Raises TimeoutError."""
        async with asyncio.timeout(within_s):
            while await self._read.get() is not None:
                pass

    async def welcome(self, within_s: float, name: str = "checked") -> None:
        """Takes the Hello of the bot and answers it. Raises Failed."""
        try:
            first = await self.heard(within_s)
        except TimeoutError:
            raise Failed(f"It opened a stream, and said nothing for {within_s:.0f} s.") from None
        if first.WhichOneof("kind") != "hello":
            raise Failed("Its first message was not a Hello.")
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
        """Raises Failed unless what the bot says of itself makes sense."""
        said, seats = self.hello, self.seats
        if not self.authorized:
            raise Failed(
                'It did not send the metadata "authorization: Bearer TOKEN" with its token.'
            )
        if said.protocol != PROTOCOL:
            raise Failed(f"Its Hello has protocol {said.protocol}; the protocol is {PROTOCOL}.")
        if unknown := [game for game in said.games if game not in GAMES]:
            raise Failed(f"It plays {', '.join(unknown)}; the games are: {', '.join(GAMES)}.")
        if not said.games or not FEWEST_SEATS <= seats.start < seats.stop <= MOST_SEATS + 1:
            raise Failed(
                f"It plays {len(said.games)} games at {seats.start} to {seats.stop - 1} seats."
            )
        if self.in_flight > MOST_IN_FLIGHT:
            raise Failed(
                f"Its max_in_flight is {said.max_in_flight}; the most is {MOST_IN_FLIGHT}."
            )

    @property
    def in_flight(self) -> int:
        """The most decisions that it holds."""
        return self.hello.max_in_flight or 1

    @property
    def seats(self) -> range:
        """The numbers of seats at which it plays."""
        return range(self.hello.min_seats or 2, (self.hello.max_seats or 6) + 1)

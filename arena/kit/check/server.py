"""A gateway for one bot, and the sessions that the bot opens."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import grpc
import grpc.aio

from arena.base.errors import Unavailable
from arena.base.text import how_ended
from arena.games.rules import GAMES
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.kit.check.program import Program
from arena.protocol import services
from arena.protocol.codec import PROTOCOL
from arena.protocol.hello import MOST_IN_FLIGHT
from arena.protocol.v1 import play_pb2 as pb

HELLO_WITHIN_S = 1.0  # for a call that is refused
OPTIONS = (
    ("grpc.so_reuseport", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
)


class Failed(Exception):
    """The bot violated the protocol. The message says how. `remedy` is advice for the author, by
    default the check's."""

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
            bot=name, version="1", session="check", max_in_flight=self.in_flight, grace_ms=30_000
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


class CheckServer:
    """The Play service; `serving` runs it."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.refusing: tuple[grpc.StatusCode, str] | None = None  # for every call
        self.calls = 0
        self._opened: asyncio.Queue[Session] = asyncio.Queue()

    async def opened(self, within_s: float) -> Session:
        """Return the next session that the bot opens. Raises TimeoutError."""
        return await asyncio.wait_for(self._opened.get(), within_s)

    def forget(self) -> None:
        """End sessions that were opened but not used."""
        while not self._opened.empty():
            self._opened.get_nowait().end()

    def handler(self) -> grpc.GenericRpcHandler:
        # The type stubs only know servicers that return an iterator.
        connect: Any = self._connect
        method: Any = grpc.stream_stream_rpc_method_handler(
            connect, request_deserializer=pb.BotMessage.FromString
        )
        store: Any = self._store_notes
        notes: Any = grpc.unary_unary_rpc_method_handler(store)
        handlers = {"Connect": method, "SendNotes": notes}
        return grpc.method_handlers_generic_handler(services.PLAY, handlers)

    async def _store_notes(self, _notes: bytes, _context: Any) -> bytes:
        """Take notes about a match, which are not checked."""
        return b""

    async def _connect(self, requests: AsyncIterator[pb.BotMessage], context: Any) -> None:
        self.calls += 1
        if self.refusing is not None:
            # Wait for Hello, because a client that is still writing may lose the status.
            with suppress(TimeoutError, StopAsyncIteration):
                await asyncio.wait_for(anext(aiter(requests)), HELLO_WITHIN_S)
            await context.abort(*self.refusing)
        sent = dict(context.invocation_metadata()).get("authorization", "")
        session = Session(context.write, authorized=sent == f"Bearer {self.token}")
        reader = asyncio.create_task(session.read(requests))
        self._opened.put_nowait(session)
        try:
            ending = await session.ending
            if ending is not None:
                await context.abort(*ending)
        finally:
            reader.cancel()
            session.gone()


@asynccontextmanager
async def serving(place: str, token: str) -> AsyncIterator[tuple[CheckServer, int]]:
    """Run the server at HOST:PORT and yield it with its port. Raises Unavailable."""
    server = grpc.aio.server(options=OPTIONS)
    check = CheckServer(token)
    server.add_generic_rpc_handlers((check.handler(),))
    try:
        port = server.add_insecure_port(place)
    except RuntimeError:
        raise Unavailable(
            f"Cannot listen on {place}. Choose another address with --listen."
        ) from None
    await server.start()
    try:
        yield check, port
    finally:
        await server.stop(0)


async def opened(
    server: CheckServer, program: Program, within_s: float, name: str = "checked"
) -> Session:
    """Return the session that a program opens, after its Hello. Raises Failed."""
    session = asyncio.ensure_future(server.opened(within_s))
    ended = asyncio.ensure_future(program.ended())
    await asyncio.wait((session, ended), return_when=asyncio.FIRST_COMPLETED)
    ended.cancel()
    if not session.done():
        session.cancel()
        assert program.status is not None
        raise Failed(f"The program {how_ended(program.status)} before it connected.")
    try:
        found = session.result()
    except TimeoutError:
        raise Failed(
            f"The program did not connect within {within_s:g} s. It must connect to the gateway in"
            " ARENA_URL, with the token in ARENA_TOKEN."
        ) from None
    await found.welcome(within_s, name)
    return found

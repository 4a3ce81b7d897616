"""A gateway for one bot, which provides the sessions that the bot opens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import grpc
import grpc.aio

from arena.base.errors import Unavailable
from arena.base.text import how_ended
from arena.kit.check.program import Program
from arena.kit.check.session import Failed, Session
from arena.protocol import services
from arena.protocol.v1 import play_pb2 as pb

HELLO_WITHIN_S = 1.0  # for a call that is refused
OPTIONS = (
    ("grpc.so_reuseport", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
)


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
        """Return the RPC handler."""
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

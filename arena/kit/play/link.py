"""A program with its own gateway: start, connection, messages, restart."""

import asyncio
import os
import secrets
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress

from arena.base.text import how_ended
from arena.kit.check.program import Program, command_of
from arena.kit.check.server import CheckServer, Failed, Session, opened, serving
from arena.protocol.v1 import play_pb2 as pb

KEY = "ARENA_BOT_KEY"
OFFLINE_KEY = "offline"  # makes `view.rng()` of the SDK repeatable
ENDS_WITHIN_S = 2.0  # after the end of its session, for a process that ends


class Link:
    """A program and its session. Calls `heard` with answers, and `lost` with the reason when the
    session or the process ends."""

    def __init__(
        self,
        name: str,
        heard: Callable[[pb.Choices], None],
        lost: Callable[[str], None],
        start_s: float,
    ) -> None:
        self._name, self._heard, self._lost, self._start_s = name, heard, lost, start_s
        self._stack = AsyncExitStack()
        self._server: CheckServer
        self._program: Program
        self.session: Session
        self._reader: asyncio.Task[None] | None = None
        self._alive = False
        self._batch = pb.Batch()
        self._sending: asyncio.Task[None] | None = None

    async def open(self, source: str) -> None:
        """Start the program. Raises InvalidRequest if there is no such command, Failed if it does
        not connect or its Hello is invalid."""
        token = secrets.token_urlsafe(12)
        self._server, port = await self._stack.enter_async_context(serving("127.0.0.1:0", token))
        more = {KEY: os.environ.get(KEY, OFFLINE_KEY)}
        program = Program(command_of(source), f"127.0.0.1:{port}", token, more)
        self._program = await self._stack.enter_async_context(program)
        await self._connect()

    async def restart(self) -> None:
        """Restart the program. Raises like `open`."""
        self._end_session()
        await self._program.stop()
        self._server.forget()
        await self._program.start()
        await self._connect()

    async def close(self) -> None:
        self._end_session()
        await self._stack.aclose()

    def said(self) -> str:
        """Return the last lines of output."""
        return self._program.said()

    async def settle(self) -> None:
        """Wait until `lost` has been called, if the session has ended."""
        if self._reader is not None and not self._alive:
            await asyncio.wait((self._reader,))

    def _end_session(self) -> None:
        if self._reader is not None:
            self._reader.cancel()
            self._reader = None
            self.session.end()
        self._batch = pb.Batch()

    async def _connect(self) -> None:
        self.session = await opened(self._server, self._program, self._start_s, self._name)
        self.session.check_hello()
        self._alive = True
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            while True:
                message = await self.session.heard()
                if message.WhichOneof("kind") == "choices":
                    self._heard(message.choices)
        except Failed:
            self._alive = False
            gone = await self._program.ended(ENDS_WITHIN_S)
        status = self._program.status
        self._lost(
            f"The program {how_ended(status)}."
            if gone and status is not None
            else "The program closed its connection."
        )

    def put(self, batch: pb.Batch) -> None:
        """Add to the next message, which is sent once the running code awaits."""
        self._batch.MergeFrom(batch)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    async def _send(self) -> None:
        with suppress(Failed):  # the reader handles it
            while self._batch.ByteSize():
                batch, self._batch = self._batch, pb.Batch()
                await self.session.send(pb.ArenaMessage(batch=batch))

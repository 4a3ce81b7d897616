"""A program with a gateway for itself: started, connected, spoken to, started again."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress

from arena.kit.check.program import Program, command_of, in_words
from arena.kit.check.server import CheckServer, opened, serving
from arena.kit.check.session import Failed, Session
from arena.protocol.v1 import play_pb2 as pb

KEY = "ARENA_BOT_KEY"
OFFLINE_KEY = "offline"  # so that `view.rng()` of a bot of the SDK repeats
ENDS_WITHIN_S = 2.0  # from the end of a session to the end of its process


class Link:
    """A program and its session. `heard` is called with its answers, `lost` when its session or its
    process ends, with the reason."""

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
        """Starts the program. Raises InvalidRequest without such a command, Failed if the program
        does not connect, or says something wrong of itself."""
        token = secrets.token_urlsafe(12)
        self._server, port = await self._stack.enter_async_context(serving("127.0.0.1:0", token))
        more = {KEY: os.environ.get(KEY, OFFLINE_KEY)}
        program = Program(command_of(source), f"127.0.0.1:{port}", token, more)
        self._program = await self._stack.enter_async_context(program)
        await self._connect()

    async def restart(self) -> None:
        """Starts it again, whether or not it has ended. Raises as `open` does."""
        self._end_session()
        await self._program.stop()
        self._server.forget()
        await self._program.start()
        await self._connect()

    async def close(self) -> None:
        self._end_session()
        await self._stack.aclose()

    def said(self) -> str:
        """The last lines that it printed."""
        return self._program.said()

    async def settle(self) -> None:
        """Waits until `lost` has been called, if the session has ended."""
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
            f"The program {in_words(status)}."
            if gone and status is not None
            else "The program closed its connection."
        )

    def put(self, add: Callable[[pb.Batch], object]) -> None:
        """Adds to the next message, which goes out as soon as nothing else is added."""
        add(self._batch)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    async def _send(self) -> None:
        with suppress(Failed):  # the reader hears of that, too
            while self._batch.ByteSize():
                batch, self._batch = self._batch, pb.Batch()
                await self.session.send(pb.ArenaMessage(batch=batch))

"""The session of a hosted version: its stream to the gateway, and the bot in its sandbox."""

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import suppress

import grpc.aio
import structlog
from google.protobuf.message import Message

from arena.games.rules.rows import VERSION
from arena.hosting.hosted.hosted_bot import HostedBot
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.report import HOUSEKEEPING, Report
from arena.hosting.hosted.room import Room
from arena.hosting.sandbox.sandbox import Sandbox
from arena.protocol import services
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.address import Address
from arena.sdk.client import channel_to

log = structlog.get_logger(__name__)

# A host reconnects faster than bots, since no other host can play its versions meanwhile.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 3.0
AT_ONCE = 256  # decisions, over all matches
# Answers are sent together when half of the open decisions are answered, or after GATHER_S, because
# a message costs more than its content. Nothing is delayed once all decisions are answered.
GATHER_S, GATHER_SHARE = 0.02, 0.5
SENT_AGAIN_S = 10.0  # for which a new stream may repeat decisions of the last one


class HostSession:
    """Keeps a version connected and plays its matches."""

    def __init__(
        self,
        arena: Address,
        token: str,
        sandbox: Sandbox,
        program: Program,
        allowance: Allowance,
        hello: pb.Hello,
        matches: int,
        room: Room,
        *,
        together: bool = False,
        report: Callable[[Report], None] = lambda report: None,
    ) -> None:
        """`hello`: the bot's Hello at its validation. `matches`: limit of matches under way for
        each worker process; 0: unlimited. `together`: one process plays all matches. `report` gets
        the reports of processes."""
        self._arena, self._token = arena, token
        self.name = f"{program.name}@{program.version}"
        self._hello = pb.Hello()
        self._hello.CopyFrom(hello)
        self._hello.max_in_flight = AT_ONCE
        self._hello.max_matches = matches
        self._hello.notices = True  # they start and end its processes
        self._hello.packed = VERSION
        self._hello.version = program.version
        self._ready = pb.Choices()
        self._wake = asyncio.Event()
        self._enough, self._full = 0.0, asyncio.Event()  # answers that fill a message
        self.broken = ""
        self._report = report
        self._bot = HostedBot(
            sandbox,
            program,
            allowance,
            self._answered,
            self._reported,
            self._broke,
            room,
            hello=hello,
            together=together,
        )
        self._task = asyncio.create_task(self._stay_connected())
        self._task.add_done_callback(self._ended)

    async def close(self) -> None:
        """Hang up and end the bot. The arena sends open decisions to the next host."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)  # its error is in the log
        self._bot.close()

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Mark the session as broken if it failed, so that the host opens another one later."""
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a hosted bot's session failed", bot=self.name, exc_info=error)
            self.broken = self.broken or f"{type(error).__name__}: {error}"

    # The stream

    async def _stay_connected(self) -> None:
        pause = FIRST_PAUSE_S
        while not self.broken:
            try:
                await self._one_stream()
                pause = FIRST_PAUSE_S
            except grpc.aio.AioRpcError as error:
                why = self._arena.explained(error.details() or "")
                log.info("no gateway for a hosted bot", bot=self.name, error=why)
            await asyncio.sleep(pause * random.uniform(0.5, 1))
            pause = min(2 * pause, LONGEST_PAUSE_S)

    async def _one_stream(self) -> None:
        async with channel_to(self._arena) as channel:
            connect = channel.stream_stream(
                f"/{services.PLAY}/Connect",
                request_serializer=pb.BotMessage.SerializeToString,
                response_deserializer=pb.ArenaMessage.FromString,
            )
            authorized = ("authorization", f"Bearer {self._token}")
            call = connect(metadata=(authorized, ("arena-bot", self.name)))
            await call.write(pb.BotMessage(hello=self._hello))
            writer = asyncio.create_task(self._write(call))
            again_until = time.monotonic() + SENT_AGAIN_S
            try:
                while isinstance(message := await call.read(), pb.ArenaMessage):
                    if message.HasField("batch"):
                        again = time.monotonic() < again_until
                        self._bot.deliver(message.batch, again=again)
                    elif message.HasField("closed"):
                        return
            finally:
                await cancel_and_wait(writer)

    async def _write(self, call: grpc.aio.StreamStreamCall[Message, pb.ArenaMessage]) -> None:
        while True:
            await self._wake.wait()
            await self._gather()
            self._wake.clear()
            ready, self._ready = self._ready, pb.Choices()
            await call.write(pb.BotMessage(choices=ready))

    async def _gather(self) -> None:
        """Wait until enough answers for a message are ready."""
        if not (left := self._bot.held):
            return
        self._enough = GATHER_SHARE * (_count(self._ready) + left)
        self._full.clear()
        if _count(self._ready) < self._enough:
            with suppress(TimeoutError):
                async with asyncio.timeout(GATHER_S):
                    await self._full.wait()

    # The bot

    def _answered(self, choices: pb.Choices) -> None:
        self._ready.MergeFrom(choices)
        self._wake.set()
        if _count(self._ready) >= self._enough:
            self._full.set()

    def _reported(self, report: Report) -> None:
        self._report(report)
        if report.ending and report.ending not in HOUSEKEEPING:
            log.info("a process of a hosted bot ended", bot=self.name, why=report.ending)

    def _broke(self, reason: str) -> None:
        log.error("the sandbox of a hosted bot does not start", bot=self.name, reason=reason)
        self.broken = reason


def _count(choices: pb.Choices) -> int:
    return len(choices.tickets) + len(choices.choices)


async def cancel_and_wait(writer: asyncio.Task[None]) -> None:
    """Cancel the writer of a stream and wait until it has ended. Raises the writer's error unless
    the stream caused it. If the caller is cancelled while it waits, that raises CancelledError."""
    writer.cancel()
    (error,) = await asyncio.gather(writer, return_exceptions=True)
    # A stream that ends during a write raises InvalidStateError.
    ended = grpc.aio.AioRpcError, asyncio.InvalidStateError
    if isinstance(error, Exception) and not isinstance(error, ended):
        raise error

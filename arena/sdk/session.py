"""One stream to the arena, from Welcome to Closed."""

from __future__ import annotations

import asyncio
import inspect
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import grpc.aio

from arena.base import tracing
from arena.games.decisions import Decisions
from arena.games.rules import View
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.answer import call_hook, checked, checked_batch, describe, offered
from arena.sdk.notes import SeatNotes
from arena.sdk.notices import Fault, MatchEnded, MatchStarted, RoundEnded
from arena.sdk.received import decisions_of, views_of

if TYPE_CHECKING:
    from arena.sdk.bot import Bot

Call: TypeAlias = "grpc.aio.StreamStreamCall[pb.BotMessage, pb.ArenaMessage]"

# Answers are sent after this time, even if decisions of the batch are left.
FLUSH_S = 0.003
ASKED = "asked"  # where the spans of traced decisions start


class Session:
    """Reads decisions, calls the bot, writes its answers."""

    def __init__(
        self,
        bot: Bot,
        call: Call,
        greet: Callable[[pb.Welcome], None],
        post: Callable[[SeatNotes], None],
    ) -> None:
        """`post` gets the bot's notes of each match that has ended."""
        self._bot = bot
        self._call = call
        self._greet = greet
        self._post = post
        self._ready = pb.Choices()
        self._packed = False  # whether this arena packs decisions, and so accepts lists of answers
        self._wake = asyncio.Event()
        self._thinking: set[asyncio.Task[None]] = set()

    async def run(self) -> pb.Closed | None:
        """Plays until the session ends. Returns the arena's Closed message, if it sent one.

        Raises AioRpcError when the stream breaks or the call is refused.
        """
        writer = asyncio.create_task(self._write())
        try:
            return await self._read()
        finally:
            for task in (writer, *self._thinking):
                task.cancel()
            # The reader's exception explains a broken stream better than the writer's.
            await asyncio.gather(writer, *self._thinking, return_exceptions=True)

    async def _read(self) -> pb.Closed | None:
        while True:
            message = await self._call.read()
            if not isinstance(message, pb.ArenaMessage):
                return None
            kind = message.WhichOneof("kind")
            if kind == "batch":
                await self._handle(message.batch)
            elif kind == "welcome":
                self._greet(message.welcome)
            elif kind == "problem":
                sys.stderr.write(f"The arena rejected an answer: {message.problem.message}\n")
            elif kind == "closed":
                return message.closed
            # Drain needs no action: open decisions may be answered until Closed arrives.

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            ready, self._ready = self._ready, pb.Choices()
            if ready.choices or ready.tickets:
                await self._call.write(pb.BotMessage(choices=ready))

    async def _handle(self, batch: pb.Batch) -> None:
        bot = self._bot
        for started in batch.started:
            await call_hook(bot.on_match_started, MatchStarted.decode(started))
        for round_ended in batch.rounds:
            await call_hook(bot.on_round_ended, RoundEnded.decode(round_ended))
        for fault in batch.faults:
            await call_hook(bot.on_fault, Fault.decode(fault))
        for ended in batch.ended:
            await call_hook(bot.on_match_ended, MatchEnded.decode(ended))
            for notes in bot.notebook.take(ended.match) if bot.notebook else ():
                self._post(notes)
        await self._answer(batch)

    async def _answer(self, batch: pb.Batch) -> None:
        self._packed |= bool(batch.packed)
        if trace := tracing.tracer():
            trace.mark([each.ticket for each in batch.decisions], ASKED)
            for some in batch.packed:
                trace.mark(some.tickets, ASKED)
        together = self._bot.answers_batches()
        for packed in batch.packed if together else ():
            self._ask_all(packed.tickets[:], decisions_of(packed, self._bot.key))
            await self._flush()
        flushed = time.perf_counter()
        rest = () if together else batch.packed
        for ticket, view in views_of(batch.decisions, rest, self._bot.key):
            self._ask(ticket, view)
            if time.perf_counter() - flushed > FLUSH_S:
                await self._flush()
                flushed = time.perf_counter()
        self._wake.set()

    async def _flush(self) -> None:
        """Lets the writer send the answers so far."""
        self._wake.set()
        await asyncio.sleep(0)

    def _ask(self, ticket: int, view: View) -> None:
        try:
            result = self._bot.choose(offered(view))
            if not isinstance(result, (int, str)) and inspect.isawaitable(result):
                self._think(self._finish([ticket], _listed(result)))
            else:
                self._answered(ticket, checked(result))
        except Exception as error:
            # The other matches continue, whatever the author's code raises.
            self._failed([ticket], error)

    def _ask_all(self, tickets: Sequence[int], decisions: Decisions) -> None:
        try:
            result = self._bot.choose_batch(decisions)
            if inspect.isawaitable(result):
                self._think(self._finish(tickets, result))
            else:
                self._all_answered(tickets, result)
        except Exception as error:
            self._failed(tickets, error)

    def _all_answered(self, tickets: Sequence[int], result: object) -> None:
        answers = checked_batch(result, len(tickets))
        for ticket, answer in zip(tickets, answers, strict=True):
            self._answered(ticket, answer)

    def _answered(self, ticket: int, answer: str | int) -> None:
        if trace := tracing.tracer():
            trace.ended([ticket], ASKED, "choose")
        if isinstance(answer, str):
            self._ready.choices.add(ticket=ticket, action=answer)
        elif self._packed:
            self._ready.tickets.append(ticket)
            self._ready.indices.append(answer)
        else:
            self._ready.choices.add(ticket=ticket, index=answer)

    def _failed(self, tickets: Sequence[int], error: Exception) -> None:
        """Reports the bot's fault in these decisions."""
        said = describe(error)
        if trace := tracing.tracer():
            trace.ended(tickets, ASKED, "choose")
        for ticket in tickets:
            self._ready.choices.add(ticket=ticket, error=said)

    def _think(self, answering: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(answering)
        self._thinking.add(task)
        task.add_done_callback(self._thinking.discard)

    async def _finish(self, tickets: Sequence[int], result: Awaitable[object]) -> None:
        try:
            self._all_answered(tickets, await result)
        except Exception as error:
            self._failed(tickets, error)
        self._wake.set()


async def _listed(result: Awaitable[object]) -> list[str | int]:
    return [checked(await result)]

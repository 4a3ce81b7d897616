"""Programs in any language as players.

Each has a process and the gateway of `arena check`. A program that ends, disconnects or does not
answer is restarted, and its open decision is a fault.
"""

import asyncio
import itertools
import time
from contextlib import suppress

from arena.base.errors import InvalidRequest
from arena.games.match import FaultKind
from arena.games.rules import View
from arena.kit.check.server import Failed
from arena.kit.play.bar import say
from arena.kit.play.job import START_S, no_answer, patience_s
from arena.kit.play.link import Link
from arena.kit.play.observed import SelfTimed
from arena.protocol.decisions import encode_decision
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import Fault, MatchEnded, MatchStarted, RoundEnded
from arena.sdk.answer import Index, ToldElsewhere
from arena.sdk.notices import batch_of


class _Lost(Exception):
    """The program disconnected with several open decisions."""


class ProgramBot(SelfTimed):
    """A program as a bot."""

    def __init__(
        self, name: str, source: str, move_ms: int | None = None, start_s: float = START_S
    ) -> None:
        self._name, self._source, self._move_ms = name, source, move_ms
        self._link = Link(name, self._heard, lambda how: self._fail_all(how, "disconnect"), start_s)
        self._tickets = itertools.count(1)
        self._open: dict[int, asyncio.Future[str | int]] = {}
        self._gone = False  # needs a restart
        self._broken: ToldElsewhere | None = None  # the restart failed
        self._starting = asyncio.Lock()
        self._alone = asyncio.Lock()

    # Start and end

    async def prepare(self) -> None:
        """Start the program and wait for its Hello. Raises InvalidRequest."""
        try:
            await self._link.open(self._source)
        except Failed as failed:
            said = self._link.said()
            output = f"Its output:\n{said}" if said else "It had no output."
            await self.close()
            raise InvalidRequest(f"{self._name} cannot play. {failed} {output}") from None
        session = self._link.session
        # Class variables for other bots, but declared by the program here.
        self.__dict__ |= {
            "games": tuple(session.hello.games),
            "min_seats": session.seats.start,
            "max_seats": session.seats.stop - 1,
            "max_in_flight": session.in_flight,
            "max_matches": session.hello.max_matches,
        }

    async def close(self) -> None:
        await self._link.close()

    def output(self) -> str:
        return self._link.said()

    # Decisions

    async def choose(self, view: View) -> str | int:
        """Ask the program. Raises ToldElsewhere for a fault.

        If it disconnects with several open decisions, they are repeated one at a time, so that only
        the decision that causes the failure is a fault.
        """
        try:
            return await self._ask_until_clear(view)
        except ToldElsewhere as fault:
            if fault.unanswered:
                say(f"{self._name}, match {view.match}, decision {view.number}: {fault}")
            raise

    async def _ask_until_clear(self, view: View) -> str | int:
        async with self._alone:
            pass  # wait for a decision that is repeated alone
        try:
            return await self._ask(view)
        except _Lost:
            async with self._alone:
                while True:
                    with suppress(_Lost):  # caused by another open decision
                        return await self._ask(view)

    async def _ask(self, view: View) -> str | int:
        await self._running()
        ticket = next(self._tickets)
        waiting: asyncio.Future[str | int] = asyncio.get_running_loop().create_future()
        self._open[ticket] = waiting
        time_ms = self._move_ms or round(1000 * patience_s(None))
        decision = pb.Decision.FromString(encode_decision(view, ticket, time_ms))
        self._link.put(pb.Batch(decisions=[decision]))
        began = time.perf_counter_ns()
        await asyncio.wait((waiting,), timeout=patience_s(self._move_ms))
        self.spent_ns = time.perf_counter_ns() - began
        if not waiting.done():
            self._fail_all(no_answer(self._move_ms), "timeout")
        return waiting.result()

    async def _running(self) -> None:
        """Restart the program if needed. Raises ToldElsewhere if that fails."""
        async with self._starting:
            await self._link.settle()
            if self._gone and not self._broken:
                try:
                    await self._link.restart()
                except (Failed, InvalidRequest) as failed:
                    self._broken = ToldElsewhere(
                        f"The restart failed. {failed}",
                        "disconnect",
                        self._link.said(),
                        unanswered=True,
                    )
                self._gone = False
        if self._broken:
            raise self._broken

    def _fail_all(self, reason: str, kind: FaultKind) -> None:
        """Request a restart. A single open decision is a fault."""
        self._gone = True
        waiting, self._open = self._open, {}
        for each in waiting.values():
            if not each.done():
                each.set_exception(
                    ToldElsewhere(reason, kind, self._link.said(), unanswered=True)
                    if len(waiting) == 1
                    else _Lost()
                )

    # Answers

    def _heard(self, choices: pb.Choices) -> None:
        for ticket, index in zip(choices.tickets, choices.indices, strict=False):
            self._answered(ticket, Index(index))
        for choice in choices.choices:
            self._answered(choice.ticket, self._answer(choice))

    def _answered(self, ticket: int, answer: str | int | ToldElsewhere) -> None:
        """Take an answer. Late answers are ignored."""
        waiting = self._open.pop(ticket, None)
        if waiting is None or waiting.done():
            return
        if isinstance(answer, ToldElsewhere):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)

    def _answer(self, choice: pb.Choice) -> str | int | ToldElsewhere:
        match choice.WhichOneof("answer"):
            case "index":
                return Index(choice.index)
            case "action":
                return choice.action
            case "timeout":
                return ToldElsewhere(choice.timeout, "timeout", self._link.said())
            case "error":
                return ToldElsewhere(choice.error, "error", self._link.said())
        return ToldElsewhere("The bot sent a choice without an answer.", "error")

    # Notices

    def wants_notices(self) -> bool:
        return self._link.session.hello.notices

    def on_match_started(self, started: MatchStarted) -> None:
        self._link.put(batch_of(started))

    def on_round_ended(self, ended: RoundEnded) -> None:
        self._link.put(batch_of(ended))

    def on_match_ended(self, ended: MatchEnded) -> None:
        self._link.put(batch_of(ended))

    def on_fault(self, fault: Fault) -> None:
        self._link.put(batch_of(fault))

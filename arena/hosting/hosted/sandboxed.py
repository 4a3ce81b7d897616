"""A hosted bot in a match of the local harness, for authors and for validation."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import count

from arena.base.errors import Unavailable
from arena.games.rules.errors import BadPacking
from arena.games.rules.view import View
from arena.hosting.hosted.hosted_bot import HostedBot
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.report import HOUSEKEEPING, Report
from arena.hosting.sandbox.sandbox import Sandbox
from arena.protocol import decisions
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import notices
from arena.sdk.answer import Index, ToldElsewhere
from arena.sdk.bot import Bot
from arena.sdk.notices import MatchEnded, MatchStarted, RoundEnded

LOOK_S = 0.01
PATIENCE_S = 2.0  # until a process has exited


class Fault(ToldElsewhere):
    """A fault of the bot in a decision, as a sentence."""


class SandboxedBot(Bot):
    """Plays by a program in a sandbox. `reports` are those of ended processes, `cpu_us` the CPU
    time of each answer, and `faults` the bot's faults."""

    def __init__(
        self, sandbox: Sandbox, program: Program, allowance: Allowance, move_ms: int = 2000
    ) -> None:
        self._open: dict[int, asyncio.Future[str | int]] = {}
        self._tickets = count(1)
        self._move_ms = move_ms
        self.broken = ""
        self.reports: list[Report] = []
        self.cpu_us: list[int] = []
        self.faults: list[notices.Fault] = []
        self.tell: Callable[[str], object] = lambda output: None  # the output of a process
        self._start: Callable[[], HostedBot] = lambda: HostedBot(
            sandbox, program, allowance, self._answered, self._reported, self._broke
        )
        self._hosted: HostedBot | None = None
        self._one_ended = asyncio.Event()  # of the processes

    # Start and end

    async def prepare(self) -> None:
        """Start the sandbox, and wait for the program's Hello. Raises Unavailable, Fault."""
        self._hosted = self._start()
        self._hosted.warm_up()
        while (hello := self._hosted.hello) is None:
            if self.broken:
                raise Unavailable(f"The sandbox does not start: {self.broken}")
            endings = [report.ending for report in self.reports]
            if failed := [why for why in endings if why and why not in HOUSEKEEPING]:
                raise Fault(failed[-1])
            await asyncio.sleep(LOOK_S)
        # Class variables of other bots, but this one depends on its program.
        self.__dict__ |= {
            "games": tuple(hello.games),
            "min_seats": hello.min_seats or 2,
            "max_seats": hello.max_seats or 6,
            "max_in_flight": hello.max_in_flight or 1,
        }

    @property
    def hello(self) -> pb.Hello:
        """The program's Hello. Raises Fault if there was none yet."""
        if self._hosted is None or self._hosted.hello is None:
            raise Fault("It has not said Hello.")
        return self._hosted.hello

    async def settle(self) -> None:
        """Wait a moment for the processes of finished matches to exit, so that all their output has
        been read."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                while self._hosted is not None and self._hosted.busy:
                    self._one_ended.clear()
                    await self._one_ended.wait()

    def close(self) -> None:
        """End the sandbox and all its processes."""
        if self._hosted is not None:
            self._hosted.close()

    # From the harness

    async def choose(self, view: View) -> str | int:
        """Return the program's decision. Raises Fault."""
        ticket = next(self._tickets)
        waiting: asyncio.Future[str | int] = asyncio.get_running_loop().create_future()
        self._open[ticket] = waiting
        self._deliver(_asked(view, ticket, self._move_ms))
        try:
            return await waiting
        finally:
            del self._open[ticket]

    def on_match_started(self, started: MatchStarted) -> None:
        """Start the process of the match."""
        self._deliver(notices.batch_of(started))

    def on_round_ended(self, ended: RoundEnded) -> None:
        self._deliver(notices.batch_of(ended))

    def on_match_ended(self, ended: MatchEnded) -> None:
        """Let the process of the match exit."""
        self._deliver(notices.batch_of(ended))

    def on_fault(self, fault: notices.Fault) -> None:
        """Keep the fault."""
        self.faults.append(fault)

    def _deliver(self, batch: pb.Batch) -> None:
        assert self._hosted is not None
        self._hosted.deliver(batch)

    # From the program

    def _answered(self, choices: pb.Choices) -> None:
        self.cpu_us += choices.cpu_us
        for ticket, index in zip(choices.tickets, choices.indices, strict=True):
            self._pass_on(ticket, Index(index))
        for choice in choices.choices:
            kind = choice.WhichOneof("answer")
            if kind in ("index", "action"):
                self.cpu_us.append(choice.cpu_us)
                self._pass_on(
                    choice.ticket, choice.action if kind == "action" else Index(choice.index)
                )
            else:
                fault = Fault(choice.timeout, "timeout") if choice.timeout else Fault(choice.error)
                self._pass_on(choice.ticket, fault)

    def _pass_on(self, ticket: int, answer: str | int | Exception) -> None:
        """Pass an answer on, unless the harness has given up the match."""
        waiting = self._open.get(ticket)
        if waiting is None or waiting.done():
            return
        if isinstance(answer, Exception):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)

    def _reported(self, report: Report) -> None:
        self.reports.append(report)
        self._one_ended.set()
        if report.output:
            self.tell(report.output)

    def _broke(self, reason: str) -> None:
        self.broken = reason
        for ticket in self._open:
            self._pass_on(ticket, Unavailable(f"The sandbox does not start: {reason}"))


def _asked(view: View, ticket: int, move_ms: int) -> pb.Batch:
    try:
        return pb.Batch(packed=[decisions.packed_decision(view, ticket, move_ms)])
    except BadPacking:
        encoded = decisions.encode_decision(view, ticket, move_ms)
        return pb.Batch(decisions=[pb.Decision.FromString(encoded)])

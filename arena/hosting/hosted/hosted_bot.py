"""A hosted bot: decisions go in, answers come out.

    launcher        `Launcher`: the sandbox, and the start of processes in it
    pool            `ProcessPool`: which process plays which match, and the spare one
                    `PooledProcess`: one of them, with its decisions
    dispatcher      `Dispatcher`: which decision goes to which process, and when
    judge           `Judge`: which answers count, what they cost, and which limits are exceeded
    report          `Report`: how a process ran and ended

`HostedBot` passes the events of processes, the sandbox and the timer to these parts and carries out
their decisions. A bot can end only its own process. Failures of the arena are repaired and not
charged to the bot.
"""

import asyncio
import time
from collections.abc import Callable, Iterable
from math import inf

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.dispatcher import Dispatcher
from arena.hosting.hosted.fork_server import Began, Ended
from arena.hosting.hosted.judge import THREADS_EACH, TOO_MANY_THREADS, Judge
from arena.hosting.hosted.launcher import Launcher
from arena.hosting.hosted.pool import PooledProcess, ProcessPool
from arena.hosting.hosted.process import Process
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.report import LET_GO, Report, is_ours, sentence
from arena.hosting.hosted.room import Room
from arena.hosting.hosted.split import Purpose
from arena.hosting.sandbox.sandbox import Sandbox
from arena.protocol.v1 import play_pb2 as pb

SANDBOX_ENDED = "The sandbox ended with all its processes. Open decisions were asked again."


class HostedBot:
    """Takes decisions by `deliver`, and passes answers to `answered`. `report` gets the report of
    each process. `broken` is called when the sandbox fails to start repeatedly."""

    def __init__(
        self,
        sandbox: Sandbox,
        program: Program,
        allowance: Allowance,
        answered: Callable[[pb.Choices], None],
        report: Callable[[Report], None],
        broken: Callable[[str], None],
        room: Room | None = None,
        *,
        hello: pb.Hello | None = None,
        together: bool = False,
    ) -> None:
        """`hello`: the bot's Hello at its validation. `together`: one process plays all matches."""
        self._program = program
        self._answered, self._report = answered, report
        self._launcher = Launcher(
            sandbox,
            program,
            allowance,
            said=self._said,
            hung_up=self._hung_up,
            told=self._told,
            lost=self._sandbox_lost,
            broken=broken,
        )
        room = room or Room(allowance.most_processes)
        self._pool = ProcessPool(self._launcher, room, allowance.idle_s)
        self._judge = Judge(program, allowance, time.monotonic())
        self._dispatcher = Dispatcher(
            self._pool,
            self._judge,
            answered,
            self._look_by,
            hello,
            together=together,
            reads_lines=bool(program.command),
        )
        self._look_at = inf
        self._timer: asyncio.TimerHandle | None = None

    @property
    def hello(self) -> pb.Hello | None:
        """The bot's Hello, once one of its processes was ready."""
        return self._dispatcher.hello

    @property
    def processes(self) -> int:
        return self._pool.processes

    @property
    def has_sandbox(self) -> bool:
        return self._pool.has_sandbox

    @property
    def held(self) -> int:
        """Decisions that its processes hold."""
        return self._pool.held

    @property
    def busy(self) -> bool:
        """Whether any process has, or had, a match."""
        return any(pooled.purpose is not None for pooled in self._pool)

    @property
    def ready(self) -> bool:
        """Whether any process has said Hello."""
        return any(pooled.process.ready for pooled in self._pool)

    # From the arena

    def warm_up(self) -> None:
        """Start a process before there is anything to do."""
        self._pool.warm_up()
        self._look_by(self._judge.waiting.next_sample)

    def deliver(self, batch: pb.Batch, *, again: bool = False) -> None:
        """Deliver notices and decisions; `again` if some may have been delivered before."""
        self._dispatcher.deliver(batch, again=again)

    def close(self) -> None:
        """End everything at once. Open decisions stay unanswered: the arena asks the next host."""
        if self._timer is not None:
            self._timer.cancel()
        for pooled in self._pool.close():
            pooled.process.gone()
            self._report_end(pooled, LET_GO)
        self._pool.leave_room()

    # From processes

    def _said(self, process: Process, message: pb.BotMessage) -> None:
        pooled = self._pool.get(process.number)
        if pooled is None:
            return
        kind = message.WhichOneof("kind")
        if kind == "choices" and process.ready:
            self._take(pooled, message.choices)
        elif kind == "hello" and not process.ready:
            self._start_clock(process, message.hello)
        else:
            self._end(pooled, "It sent an unexpected message. Send one Hello first, then choices.")

    def _start_clock(self, process: Process, hello: pb.Hello) -> None:
        if process.output.answered(()) and not process.clock.open:  # else it is read too late
            process.output.mark("start")
        self._launcher.succeeded()
        self._dispatcher.hello = self._dispatcher.hello or hello
        process.clock.began(process.used())
        process.said_hello()
        self._pool.last_used = time.monotonic()  # it was not idle while it started
        self._look_by(self._pool.last_used)

    def _take(self, pooled: PooledProcess, choices: pb.Choices) -> None:
        try:
            used = pooled.process.used()
            taken = self._judge.accept(pooled, choices, used, time.monotonic())
        except InvalidRequest as error:
            self._end(pooled, str(error))
            return
        if taken.tickets or taken.choices:
            self._answered(taken)
            self._dispatcher.send_queued(pooled)
            self._pool.answered(pooled)

    def _end(self, pooled: PooledProcess, why: str) -> None:
        """Kill a process for what it did; its decisions are errors."""
        tickets = pooled.process.clock.dropped(time.monotonic())
        self._pool.kill(pooled, why)
        if tickets:
            errors = [pb.Choice(ticket=ticket, error=why) for ticket in tickets]
            self._answered(pb.Choices(choices=errors))

    def _hung_up(self, process: Process, complaint: str) -> None:
        pooled = self._pool.get(process.number)
        if pooled is not None and complaint and not process.killed_because:
            self._end(pooled, complaint)

    # From the sandbox

    def _told(self, event: Began | Ended) -> None:
        pooled = self._pool.get(event.number)
        if pooled is None:
            return
        if isinstance(event, Began):
            pooled.process.began(event.process)
        else:
            self._process_ended(pooled, event)

    def _process_ended(self, pooled: PooledProcess, ended: Ended) -> None:
        process, over = pooled.process, self._pool.is_released(pooled)
        self._pool.remove(pooled)
        process.gone()
        why = "" if over and not process.killed_because else sentence(process, ended, self._program)
        report = pooled.report(why, ended.cpu_s, ended.memory_kb)
        given_up = bool(ended.reason) and self._launcher.failed(ended.reason)
        if not given_up:  # else its decisions stay open, for the next host
            blameless = is_ours(process, ended)
            now = time.monotonic()
            lost, again = self._judge.settle(pooled, why, now, blameless=blameless)
            if lost.choices:
                self._answered(lost)
            self._hand_again(pooled.purpose, again)
        self._report(report.without_folders(self._program))
        self._pool.freed()

    def _sandbox_lost(self, reason: str) -> None:
        """Ask all open decisions again in a new sandbox."""
        ended = self._pool.clear()
        again = [(pooled.purpose, [*pooled.unanswered(), *pooled.queued]) for pooled in ended]
        for pooled in ended:
            pooled.process.gone()
            if pooled.purpose is not None:
                self._report_end(pooled, SANDBOX_ENDED)
        if self._launcher.failed(reason):
            return
        self._pool.freed()
        for purpose, parts in again:
            self._hand_again(purpose, parts)

    def _report_end(self, pooled: PooledProcess, why: str) -> None:
        report = pooled.report(why, pooled.process.used(), 0)
        self._report(report.without_folders(self._program))

    def _hand_again(self, purpose: Purpose | None, parts: Iterable[pb.Batch]) -> None:
        if purpose is not None:
            for part in parts:
                self._dispatcher.hand(purpose, part)

    # From the timer

    def _look_by(self, when: float) -> None:
        """Check the clocks at this time, or earlier."""
        if when < self._look_at and not self._pool.closed:
            if self._timer is not None:
                self._timer.cancel()
            self._look_at = when
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(0.0, when - time.monotonic()), self._look)

    def _look(self) -> None:
        now = time.monotonic()
        self._look_at = inf
        if now >= self._judge.waiting.next_sample:
            self._sample(now)
        soonest = self._judge.waiting.next_sample
        for pooled in self._pool:
            process = pooled.process
            if process.killed_because:
                continue
            if process.ready:
                soonest = min(soonest, self._check(pooled, now))
            elif process.has_begun and (why := self._judge.start_failure(process, process.used())):
                self._end(pooled, why)
        if self._pool.processes:
            self._look_by(soonest)
        self._pool.rest(now)

    def _sample(self, now: float) -> None:
        """End processes with too many threads, and charge those that wait at this moment."""
        seconds = self._judge.waiting.sampled(now)
        for pooled in self._pool:
            if not pooled.process.killed_because and pooled.process.threads() > THREADS_EACH:
                self._end(pooled, TOO_MANY_THREADS)
                continue
            waits = pooled.is_awaited and pooled.process.is_waiting()
            if waits and (why := self._judge.charge_waiting(pooled, seconds)):
                self._pool.kill(pooled, why)

    def _check(self, pooled: PooledProcess, now: float) -> float:
        """Enforce the limits of a ready process. Return when to check it again."""
        process, used = pooled.process, pooled.process.used()
        late = self._judge.overrun(pooled, used, now)
        if late.choices:
            self._answered(late)
        if why := self._judge.reason_to_end(process, used):
            self._pool.kill(pooled, why)
        return process.clock.next_look(used, now)

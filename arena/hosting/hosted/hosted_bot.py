"""A bot that is hosted: its sandbox, its processes, and which of them has what to do.

A match (or a group of matches, see `arena.hosting.hosted.split`) gets a process when it begins,
which ends with it. One more waits, warm, for the next. Nothing that a bot does ends anything but
its own process; what is our fault (a sandbox that dies, a process that somebody killed) is done
again, and charged to nobody.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from math import inf

from arena.base.errors import ArenaError
from arena.games.rules.rows import VERSION, match_bytes
from arena.hosting.hosted.ending import IDLE, LET_GO, NO_ROOM, is_ours, sentence
from arena.hosting.hosted.explained import without_folders
from arena.hosting.hosted.fork_server import Began, Ended, ForkServer
from arena.hosting.hosted.parts import Part, decided, decisions_of
from arena.hosting.hosted.process import Process
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.room import Idle, Room
from arena.hosting.hosted.split import (
    Purpose,
    by_purpose,
    one_by_one,
    singly,
    tickets_of,
    with_decisions,
)
from arena.hosting.hosted.waiting import WaitingBudget
from arena.hosting.sandbox import Sandbox
from arena.protocol.v1 import play_pb2 as pb

log = logging.getLogger(__name__)

MOST_CHOICES = 4096  # in a message of a bot
TRIES = 3  # of a decision whose process somebody killed; of a sandbox that does not come up
END_CPU_S = 2.0  # that a process may use after its match is over
SANDBOX_ENDED = "The sandbox ended, and all processes in it; what was open was asked again."
FORGOTTEN = 10.0  # times as long as a sandbox may be idle, a match whose end nobody told is kept
TOGETHER = 1  # the group of all matches, where one process has them


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a process; for its author."""

    purpose: Purpose | None  # None: it waited for a match in vain
    began: float  # Unix seconds
    cpu_s: float
    wall_s: float  # for which it held decisions
    memory_kb: int
    ending: str  # why it ended, if it did not by itself when the match was over
    output: str
    parts: tuple[Part, ...] = ()  # of the output, by decision


@dataclass(slots=True)
class Work:
    """What a process is for, and what it holds of it."""

    purpose: Purpose | None
    process: Process
    unasked: deque[pb.Batch] = field(default_factory=deque)  # a decision each, that wait for it
    asked: list[pb.Batch] = field(default_factory=list)  # decisions, some of which it may hold
    matches: set[bytes] = field(default_factory=set)  # under way
    began: float = field(default_factory=time.time)

    @property
    def is_busy(self) -> bool:
        """Whether there is anything to decide."""
        return bool(self.process.clock.held or self.unasked)

    @property
    def is_awaited(self) -> bool:
        """Whether it is its turn: to get ready, to decide, or to end."""
        process = self.process
        if process.killed_because:
            return False
        return not process.ready or process.finished_cpu_s is not None or bool(process.clock.held)

    def open_matches(self) -> set[str]:
        """The matches that wait for it."""
        held = self.process.clock.open
        return {one.match for one in decided(self.asked, held)} if held else set()

    def still_asked(self) -> list[pb.Batch]:
        """The decisions that the process holds, each by itself."""
        held = set(self.process.clock.open)
        single = (one for batch in self.asked for one in singly(batch))
        return [one for one in single if any(ticket in held for ticket, _ in tickets_of(one))]

    def remember(self, asked: pb.Batch) -> None:
        """Keeps what it is asked until it is answered, or a little longer."""
        if len(self.asked) > 2 * self.process.clock.held + 16:
            held = set(self.process.clock.open)
            self.asked = [
                one for one in self.asked if any(ticket in held for ticket, _ in tickets_of(one))
            ]
        self.asked.append(asked)

    def mark_output(self, tickets: Container[int]) -> None:
        """What the process wrote since its last answer it wrote in these decisions."""
        found = decided(self.asked, tickets)
        self.process.output.mark("decision" if found else "late", found)

    def report(self, ending: str, cpu_s: float, memory_kb: int) -> Report:
        """What became of the process, which is gone."""
        output = self.process.output
        open_ = self.still_asked()
        if not open_ and self.process.killed_because:  # it was judged, and holds nothing any more
            open_ = [one for one in self.asked[-1:] if len(list(tickets_of(one))) == 1]
        parts = output.parts(decided(open_, output.marks.answered, without=True))
        wall_s = self.process.clock.owed_s(time.monotonic())
        return Report(
            self.purpose, self.began, cpu_s, wall_s, memory_kb, ending, output.text, parts
        )


class HostedBot:
    """Its decisions go in by `deliver`, its answers come out by `answered`. `report` gets what
    became of each process; `broken` is called when the sandbox does not come up any more."""

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
        together: bool = False,
    ) -> None:
        """`together`: one process has all matches, whatever group they are in."""
        self._together = together
        self._sandbox, self._program, self._allowance = sandbox, program, allowance
        self._room = room or Room(allowance.most_processes)
        self._room.bots.append(self)
        self._answered, self._broken = answered, broken

        def relative(found: Report) -> None:
            report(_relative(program, found))

        self._report = relative
        self.hello: pb.Hello | None = None  # what the first process said
        self._server: ForkServer | None = None
        self._failures = 0  # of sandboxes, in a row
        self._numbers = count(1)
        self._works: dict[int, Work] = {}  # by the number of the process
        self._by_purpose: dict[Purpose, Work] = {}
        self._spare: Work | None = None
        self._groups: dict[bytes, int] = {}  # by match, as far as it has one
        self._tries = Counter[int]()  # by ticket
        self._look_at = inf
        self._timer: asyncio.TimerHandle | None = None
        self._last_work = time.monotonic()
        self._waiting = WaitingBudget(allowance.waiting_s, self._last_work)
        self._closed = False

    @property
    def processes(self) -> int:
        return len(self._works)

    @property
    def held(self) -> int:
        """How many decisions its processes hold."""
        return sum(work.process.clock.held for work in self._works.values())

    @property
    def open(self) -> bool:
        """Whether any process holds a decision."""
        return any(work.process.clock.held for work in self._works.values())

    @property
    def busy(self) -> bool:
        """Whether any process is, or was, for a match."""
        return any(work.purpose is not None for work in self._works.values())

    @property
    def ready(self) -> bool:
        """Whether any process has said Hello."""
        return any(work.process.ready for work in self._works.values())

    @property
    def has_sandbox(self) -> bool:
        """Whether there is one now."""
        return self._server is not None

    # What comes from the arena

    def warm_up(self) -> None:
        """Has a process ready before there is anything to do."""
        if self._spare is None:
            self._spare = self._new_work()

    def deliver(self, batch: pb.Batch, *, again: bool = False) -> None:
        """Hands notices and decisions to the processes that they are for. `again`: some of it may
        have been delivered before, as a gateway does that has lost sight of its host."""
        if again:
            open_ = {ticket for work in self._works.values() for ticket in work.process.clock.open}
            batch = with_decisions(batch, {ticket for ticket, _ in tickets_of(batch)} - open_)
        for started in batch.started:
            if started.group:
                self._groups[match_bytes(started.match)] = started.group
        for purpose, part in self._parts(batch):
            self._hand(purpose, part)
        for ended in batch.ended:
            self._groups.pop(match_bytes(ended.match), None)
            self._waiting.over(ended.match)

    def _parts(self, batch: pb.Batch) -> Iterable[tuple[Purpose, pb.Batch]]:
        if self._together:
            return [(TOGETHER, batch)]
        return by_purpose(batch, self._groups).items()

    def _hand(self, purpose: Purpose, part: pb.Batch) -> None:
        if self._closed:
            return  # it waited for room, which comes too late
        self._last_work = time.monotonic()
        part = self._refused(part) if self._waiting.any_spent else part
        work = self._by_purpose.get(purpose)
        if work is None and not (part.started or part.decisions or part.packed):
            return  # of a match that is over, or whose process is gone
        if work is None:
            order = self._order_of(purpose)
            if self._spare is None and not self._room.take(self, order):
                self._room.wait(order, lambda: self._hand(purpose, part))
                return
            work = self._begin(purpose)
        self._ask(work, part)
        for ended in part.ended:
            work.matches.discard(match_bytes(ended.match))
        if part.ended and (isinstance(purpose, bytes) or not (work.matches or work.is_busy)):
            self._finish(work)

    def _refused(self, part: pb.Batch) -> pb.Batch:
        """Answers the decisions of matches that have spent their waiting budget: the bot forfeits
        them. The rest of the part."""
        asked = list(decisions_of(part))
        spent = self._waiting.spent_among(one.match for _, one in asked)
        choices = pb.Choices()
        for ticket, one in asked:
            if one.match in spent:
                self._tries.pop(ticket, None)
                choices.choices.add(ticket=ticket, timeout=self._waiting.reason, forfeits=True)
        if not choices.choices:
            return part
        self._answered(choices)
        return with_decisions(part, {ticket for ticket, one in asked if one.match not in spent})

    def idle(self) -> Iterator[Idle]:
        """The processes that wait for something to do."""
        for purpose, work in self._by_purpose.items():
            if not work.is_busy:
                yield self._idle(work, self._order_of(purpose))
        if self._spare is not None:
            yield self._idle(self._spare, inf)

    def _idle(self, work: Work, order: float) -> Idle:
        process = work.process
        return Idle(order, process.last_asked, lambda: self._kill(process, NO_ROOM))

    def _order_of(self, purpose: Purpose) -> int:
        return self._room.order_of(self._match(purpose))

    def _match(self, purpose: Purpose) -> Hashable:
        """By what matches of several bots are told apart: a group is of one bot."""
        return purpose if isinstance(purpose, bytes) else (id(self), purpose)

    def end_sandbox(self) -> None:
        """Ends a sandbox in which nobody is: another bot's needs its place."""
        self._stop_server()

    def _begin(self, purpose: Purpose) -> Work:
        """A process for this: the one that waits, or a new one."""
        work, self._spare = self._spare or self._new_work(), None
        work.purpose = purpose
        work.began = time.time()
        self._by_purpose[purpose] = work
        if self._room.has_more(self):
            self._spare = self._new_work()
        return work

    def _ask(self, work: Work, part: pb.Batch) -> None:
        """Sends a process what is for it, as far as its bot wants that, and takes so many."""
        work.matches.update(match_bytes(started.match) for started in part.started)
        wants_notices = self.hello is None or self.hello.notices
        notices = pb.Batch()
        if wants_notices or not self._program.command:
            notices.faults.extend(part.faults)
        if wants_notices:
            notices.started.extend(part.started)
            notices.rounds.extend(part.rounds)
            notices.ended.extend(part.ended)
        if notices.ByteSize():
            work.process.send(notices)
        tickets = list(tickets_of(part))
        if work.unasked or work.process.clock.held + len(tickets) > self._at_once():
            work.unasked.extend(singly(part))
            self._ask_more(work)
        elif tickets:
            self._give(work, pb.Batch(decisions=part.decisions, packed=part.packed), tickets)

    def _at_once(self) -> int:
        """How many decisions a process takes; one as long as none has said how many."""
        return max(1, self.hello.max_in_flight) if self.hello else 1

    def _ask_more(self, work: Work) -> None:
        """Asks the process what waits for it, as far as it takes more at a time."""
        room, asked = self._at_once() - work.process.clock.held, pb.Batch()
        while work.unasked and room > 0:
            asked.MergeFrom(work.unasked.popleft())
            room -= 1
        if asked.ByteSize():
            self._give(work, asked, list(tickets_of(asked)))

    def _give(self, work: Work, asked: pb.Batch, tickets: Sequence[tuple[int, float]]) -> None:
        """Sends decisions, with these tickets."""
        process = work.process
        process.last_asked = time.monotonic()
        work.remember(asked)
        for ticket, allowed in tickets:
            process.clock.asked((ticket,), allowed, process.last_asked)
        self._look_by(process.last_asked + min(allowed for _, allowed in tickets))
        if self.hello is not None and self.hello.packed != VERSION:
            asked = one_by_one(asked)
        process.send(asked)

    def _finish(self, work: Work) -> None:
        """Its match is over."""
        if work.purpose is not None:
            self._room.over(self._match(work.purpose))
        self._forget(work)
        work.process.finish()

    def _forget(self, work: Work) -> None:
        """The next that comes for this purpose goes to another process."""
        if work.purpose is not None and self._by_purpose.get(work.purpose) is work:
            del self._by_purpose[work.purpose]
        if self._spare is work:
            self._spare = None

    # Processes

    def _new_work(self) -> Work:
        """A process that is for nothing yet."""
        number = next(self._numbers)
        process = Process(
            number,
            self._allowance.most_output,
            self._said,
            self._hung_up,
            is_program=bool(self._program.command),
        )
        work = self._works[number] = Work(None, process)
        self._order(process)
        self._look_by(self._waiting.next_sample)
        return work

    def _order(self, process: Process) -> None:
        try:
            if self._server is None:
                self._server = self._start_server()
            self._server.order(process.number, process.theirs)
        except (ArenaError, OSError) as error:
            reason = str(error)
            asyncio.get_running_loop().call_soon(
                self._process_ended, Ended(process.number, 0, 0.0, 0, reason)
            )
        finally:
            process.handed_over()

    def _start_server(self) -> ForkServer:
        spec = replace(self._program.spec(), limits=self._allowance.limits)
        return ForkServer(
            self._sandbox,
            spec,
            self._allowance.limits,
            self._told,
            self._server_gone,
            self._allowance.group,
        )

    def _told(self, event: Began | Ended) -> None:
        if isinstance(event, Ended):
            self._process_ended(event)
        elif work := self._works.get(event.number):
            work.process.began(event.process)

    def _server_gone(self) -> None:
        """The sandbox has ended, and with it all that was in it: what was open is asked again."""
        server, self._server = self._server, None
        if self._closed or server is None:
            return
        words = without_folders(self._program, server.last_words())
        log.warning("the sandbox of %s ended: %s", self._program.name, words[-500:])
        works, self._works = list(self._works.values()), {}
        self._by_purpose.clear()
        self._spare = None
        again = [(work.purpose, [*work.still_asked(), *work.unasked]) for work in works]
        for work in works:
            work.process.gone()
            if work.purpose is not None:
                self._report(work.report(SANDBOX_ENDED, work.process.used(), 0))
        if self._failed(words.splitlines()[-1] if words else "The sandbox does not come up."):
            return
        self._room.freed()
        for purpose, parts in again:
            self._hand_again(purpose, parts)

    def _failed(self, reason: str) -> bool:
        """The sandbox failed, or it was not to be had; whether it is given up by that."""
        self._failures += 1
        if self._failures < TRIES:
            return False
        self._broken(reason)
        return True

    def _process_ended(self, ended: Ended) -> None:
        work = self._works.pop(ended.number, None)
        if work is None:
            return
        process = work.process
        over = work.purpose is not None and self._by_purpose.get(work.purpose) is not work
        self._forget(work)
        process.gone()
        why = "" if over and not process.killed_because else sentence(process, ended, self._program)
        report = work.report(why, ended.cpu_s, ended.memory_kb)
        given_up = bool(ended.reason) and self._failed(ended.reason)
        if not given_up:  # else what it held stays open: the next host is asked
            self._settle(work, why, ours=is_ours(process, ended))
        self._report(report)
        self._room.freed()

    def _hand_again(self, purpose: Purpose | None, parts: Iterable[pb.Batch]) -> None:
        if purpose is not None:
            for part in parts:
                self._hand(purpose, part)

    def _settle(self, work: Work, why: str, *, ours: bool) -> None:
        """Decisions whose process is gone: asked again where the bot is not to blame for that, or
        was judged for it already. What it was not asked yet, the next process is."""
        lost, again = pb.Choices(), list[pb.Batch]()
        mild = ours or bool(work.process.killed_because)
        for one in work.still_asked():
            for ticket, _ in tickets_of(one):
                self._tries[ticket] += 1
                if mild and self._tries[ticket] < TRIES:
                    again.append(one)
                else:
                    del self._tries[ticket]
                    lost.choices.add(ticket=ticket, error=why)
        work.process.clock.dropped(time.monotonic())
        if lost.choices:
            self._answered(lost)
        self._hand_again(work.purpose, [*again, *work.unasked])

    # What processes say

    def _said(self, process: Process, message: pb.BotMessage) -> None:
        kind = message.WhichOneof("kind")
        if kind == "choices" and process.ready:
            self._take(process, message.choices)
        elif kind == "hello" and not process.ready:
            process.ready = True
            if process.output.answered(()) and not process.clock.open:  # else it is read too late
                process.output.mark("start")
            self._failures = 0
            self.hello = self.hello or message.hello
            process.clock.began(process.used())
            self._last_work = time.monotonic()  # it was not idle while it started
            self._look_by(self._last_work)
        else:
            self._end(process, "It sent what may not come: Hello comes first, and once.")

    def _take(self, process: Process, choices: pb.Choices) -> None:
        """Passes answers on, each with the CPU time that it took."""
        used = process.used()
        if len(choices.tickets) != len(choices.indices):
            self._end(process, "A message has more tickets than indices, or fewer.")
            return
        if len(choices.tickets) + len(choices.choices) > MOST_CHOICES:
            self._end(process, f"A message has more than {MOST_CHOICES:,} choices.")
            return
        tickets = [*choices.tickets, *(choice.ticket for choice in choices.choices)]
        if process.output.answered(tickets) and (work := self._works.get(process.number)):
            work.mark_output(tickets)
        charges = process.clock.answered(tickets, used, time.monotonic())
        if not charges:
            return
        for ticket in charges if self._tries else ():
            self._tries.pop(ticket, None)
        taken = pb.Choices()
        for ticket, index in zip(choices.tickets, choices.indices, strict=True):
            if (charge := charges.pop(ticket, None)) is not None:
                taken.tickets.append(ticket)
                taken.indices.append(index)
                taken.cpu_us.append(round(1_000_000 * charge))
        for choice in choices.choices:
            if (charge := charges.pop(choice.ticket, None)) is not None:
                taken.choices.add().CopyFrom(choice)
                taken.choices[-1].cpu_us = round(1_000_000 * charge)
                if choice.error:
                    taken.choices[-1].error = without_folders(self._program, choice.error)
        self._answered(taken)
        if work := self._works.get(process.number):
            self._ask_more(work)
            if work.purpose is not None and not work.is_busy:
                self._room.one_waits(self._idle(work, self._order_of(work.purpose)))

    def _end(self, process: Process, why: str) -> None:
        """What it did ends it, and is its fault."""
        tickets = process.clock.dropped(time.monotonic())
        self._kill(process, why)
        choices = pb.Choices()
        for ticket in tickets:
            choices.choices.add(ticket=ticket, error=why)
        if tickets:
            self._answered(choices)

    def _kill(self, process: Process, why: str) -> None:
        """Ends it; what comes for its match goes to another."""
        process.kill(why)
        if work := self._works.get(process.number):
            self._forget(work)

    def _hung_up(self, process: Process, complaint: str) -> None:
        """Nothing more comes from it: it ends, or is ended."""
        if complaint and not process.killed_because:
            self._end(process, complaint)

    # Time

    def _look_by(self, when: float) -> None:
        """Has a look at the clocks no later than then."""
        if when < self._look_at and not self._closed:
            if self._timer is not None:
                self._timer.cancel()
            self._look_at = when
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(0.0, when - time.monotonic()), self._look)

    def _look(self) -> None:
        """Ends what has run out of time."""
        now = time.monotonic()
        self._look_at = inf
        if now >= self._waiting.next_sample:
            self._sample(now)
        soonest = self._waiting.next_sample
        for work in list(self._works.values()):
            process = work.process
            if process.killed_because:
                continue
            if process.ready:
                soonest = min(soonest, self._judge(process, now))
            elif process.has_begun:
                self._judge_start(process)
        if self._works:
            self._look_by(soonest)
        self._rest(now)

    def _sample(self, now: float) -> None:
        """Charges processes that wait at this moment."""
        seconds = self._waiting.sampled(now)
        for work in list(self._works.values()):
            if work.is_awaited and work.process.is_waiting():
                self._charge(work, seconds)

    def _charge(self, work: Work, seconds: float) -> None:
        process, spent = work.process, self._waiting.charge(work.open_matches(), seconds)
        if not process.ready or process.finished_cpu_s is not None:
            process.waited_s += seconds
        if spent:  # once it is gone, its decisions are refused
            self._kill(process, self._waiting.reason if process.ready else self._not_ready())

    def _judge(self, process: Process, now: float) -> float:
        """Ends what is out of time; when something may be up at the earliest."""
        clock, used = process.clock, process.used()
        choices = pb.Choices()
        for over in clock.overrun(used, now):
            if process.output.answered((over.ticket,)):
                self._works[process.number].mark_output((over.ticket,))
            cpu_us = round(1_000_000 * over.used_s)
            choices.choices.add(ticket=over.ticket, timeout=over.reason, cpu_us=cpu_us)
        if choices.choices:
            self._answered(choices)
        if clock.is_stuck(used):
            self._kill(process, "It went on long after its time was up, and was ended.")
        if self._stays(process, used):
            self._kill(process, "It did not end when its match was over, and was ended.")
        return clock.next_look(used, now)

    def _stays(self, process: Process, used: float) -> bool:
        """Whether its match is over, and it does not end."""
        if process.finished_cpu_s is None:
            return False
        waited = process.waited_s > self._allowance.waiting_s
        return waited or used - process.finished_cpu_s > END_CPU_S

    def _judge_start(self, process: Process) -> None:
        allowance, used = self._allowance, process.used()
        if used > allowance.start_cpu_s:
            self._end(
                process,
                f"It was not ready after {used:.1f} s of CPU time; it has"
                f" {allowance.start_cpu_s:g} s to start. {self._advice()}",
            )
        elif process.waited_s > allowance.waiting_s:
            self._end(process, self._not_ready())

    def _not_ready(self) -> str:
        waited = f"{self._allowance.waiting_s:g} s in which it did not compute"
        return f"It was not ready after {waited}. {self._advice()}"

    def _advice(self) -> str:
        if self._program.command:
            return "Write the first line to stdout, and flush it, as soon as the program is ready."
        return "Shorten what the file does when it is imported, and prepare()."

    def _rest(self, now: float) -> None:
        """Takes the sandbox down when there has been nothing to do for a while."""
        idle_s = now - self._last_work
        if idle_s > FORGOTTEN * self._allowance.idle_s and not self.open:
            for work in list(self._by_purpose.values()):
                self._finish(work)  # nobody told the end of its match
        if idle_s < self._allowance.idle_s or self._by_purpose:
            return
        if self._spare is not None and self._spare.process.ready:
            self._kill(self._spare.process, IDLE)
        elif not self._works and self._server is not None:
            self._stop_server()

    def _stop_server(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()

    def close(self) -> None:
        """Ends everything at once. What was open stays unanswered: the arena asks the next host."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        self._stop_server()
        for work in self._works.values():
            process = work.process
            process.gone()
            self._report(work.report(LET_GO, process.used(), 0))
        self._works.clear()
        self._room.bots.remove(self)
        self._room.freed()


def _relative(program: Program, report: Report) -> Report:
    """The report without the host's folders."""
    parts = [replace(part, text=without_folders(program, part.text)) for part in report.parts]
    return replace(report, output="".join(part.text for part in parts), parts=tuple(parts))

"""Judges the answers of a bot's processes, and the time that they take. This does no IO.

Failures of the arena, such as a sandbox that ends or a process that someone else killed, are not
charged to the bot: its decisions are asked again.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.clock import WaitingBudget
from arena.hosting.hosted.pool import PooledProcess
from arena.hosting.hosted.process import Process
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.report import STAYED, without_folders
from arena.hosting.hosted.split import decisions_of, tickets_of, with_decisions
from arena.protocol.codec import LONGEST_ACTION, LONGEST_ERROR
from arena.protocol.v1 import play_pb2 as pb

MOST_CHOICES = 4096  # in a message of a bot
MOST_USELESS = 100  # messages in a row that answer nothing
TRIES = 3  # of a decision whose process someone else killed
THREADS_EACH = 64  # of a process
TOO_MANY_THREADS = f"It had more than {THREADS_EACH} threads, the limit. Start fewer threads."
END_CPU_S = 2.0  # that a process may use after its match is over


class Settlement(NamedTuple):
    """The outcome of the decisions of a process that is gone."""

    lost: pb.Choices  # errors
    again: list[pb.Batch]  # to be asked again


class Judge:
    """The judge of one bot."""

    def __init__(self, program: Program, allowance: Allowance, now: float) -> None:
        self._program, self._allowance = program, allowance
        self.waiting = WaitingBudget(allowance.waiting_s, now)
        self._tries = Counter[int]()  # by ticket

    # Answers

    def accept(
        self, pooled: PooledProcess, choices: pb.Choices, used: float, now: float
    ) -> pb.Choices:
        """Return the answers to decisions that the process holds, each with its CPU time. `used` is
        the CPU time of the process so far. Raises InvalidRequest for a malformed message."""
        process = pooled.process
        if len(choices.tickets) != len(choices.indices):
            raise InvalidRequest("It sent unequal numbers of tickets and indices.")
        if len(choices.tickets) + len(choices.choices) > MOST_CHOICES:
            raise InvalidRequest(
                f"It sent more than {MOST_CHOICES:,} choices in a message, the limit."
            )
        tickets = [*choices.tickets, *(choice.ticket for choice in choices.choices)]
        self._check_useful(process, tickets)
        if process.output.answered(tickets):
            pooled.mark_output(tickets)
        charges = process.clock.answered(tickets, used, now)
        for ticket in charges if self._tries else ():
            self._tries.pop(ticket, None)
        return self._charged(choices, charges)

    def _check_useful(self, process: Process, tickets: Sequence[int]) -> None:
        """Raises InvalidRequest after many messages in a row that answer nothing: the host reads
        them for all bots."""
        process.useless = 0 if process.clock.expects(tickets) else process.useless + 1
        if process.useless > MOST_USELESS:
            raise InvalidRequest(
                f"It sent more than {MOST_USELESS} messages in a row that answer no open decision."
            )

    def _charged(self, choices: pb.Choices, charges: dict[int, float]) -> pb.Choices:
        """Return the choices whose tickets are in `charges` (CPU seconds), each once."""
        taken = pb.Choices()
        if not charges:
            return taken
        for ticket, index in zip(choices.tickets, choices.indices, strict=True):
            if (charge := charges.pop(ticket, None)) is not None:
                taken.tickets.append(ticket)
                taken.indices.append(index)
                taken.cpu_us.append(round(1_000_000 * charge))
        for choice in choices.choices:
            if (charge := charges.pop(choice.ticket, None)) is not None:
                self._copy(choice, taken.choices.add(cpu_us=round(1_000_000 * charge)))
        return taken

    def _copy(self, choice: pb.Choice, to: pb.Choice) -> None:
        """Copy an answer, without what it may carry besides."""
        to.ticket, kind = choice.ticket, choice.WhichOneof("answer")
        if kind == "index":
            to.index = choice.index
        elif kind == "action":
            to.action = choice.action[:LONGEST_ACTION]
        elif kind == "error":
            error = without_folders(self._program, choice.error[: 4 * LONGEST_ERROR])
            to.error = error[:LONGEST_ERROR]
        else:
            to.error = "It sent a choice without an answer."

    def settle(self, pooled: PooledProcess, why: str, now: float, *, blameless: bool) -> Settlement:
        """Settle the decisions of a process that is gone. They are asked again if the bot is
        `blameless` or was judged already, and are errors otherwise. Decisions that were not sent
        are always asked again."""
        found = Settlement(pb.Choices(), [])
        mild = blameless or bool(pooled.process.killed_because)
        for one in pooled.unanswered():
            for ticket, _ in tickets_of(one):
                self._tries[ticket] += 1
                if mild and self._tries[ticket] < TRIES:
                    found.again.append(one)
                else:
                    del self._tries[ticket]
                    found.lost.choices.add(ticket=ticket, error=why)
        pooled.process.clock.dropped(now)
        found.again.extend(pooled.queued)
        return found

    # CPU time

    def overrun(self, pooled: PooledProcess, used: float, now: float) -> pb.Choices:
        """Return timeouts for the decisions whose CPU time is used up."""
        process, choices = pooled.process, pb.Choices()
        for over in process.clock.overrun(used, now):
            if process.output.answered((over.ticket,)):
                pooled.mark_output((over.ticket,))
            cpu_us = round(1_000_000 * over.used_s)
            choices.choices.add(ticket=over.ticket, timeout=over.reason, cpu_us=cpu_us)
        return choices

    def reason_to_end(self, process: Process, used: float) -> str:
        """Return why a ready process is to be killed; "" if it is not."""
        if process.clock.is_stuck(used):
            return "It kept computing long after its time was up, and was ended."
        if process.finished_cpu_s is None:
            return ""
        waited = process.waited_s > self._allowance.waiting_s
        return STAYED if waited or used - process.finished_cpu_s > END_CPU_S else ""

    def start_failure(self, process: Process, used: float) -> str:
        """Return why a process that is not ready is to be ended; "" if it is not."""
        allowance = self._allowance
        if used > allowance.start_cpu_s:
            return (
                f"It was not ready after {used:.1f} s of CPU time. The limit is"
                f" {allowance.start_cpu_s:g} s. {self._advice()}"
            )
        if process.waited_s > allowance.waiting_s:
            return self._not_ready()
        return ""

    def _not_ready(self) -> str:
        limit_s = self._allowance.waiting_s
        return f"It was not ready after {limit_s:g} s of waiting, the limit. {self._advice()}"

    def _advice(self) -> str:
        if self._program.command:
            return "Write the first line to stdout and flush it as soon as the program is ready."
        return "Do less at import and in prepare()."

    # Waiting

    def charge_waiting(self, pooled: PooledProcess, seconds: float) -> str:
        """Charge a process that waits without computing. Return why it is to be killed if a budget
        is spent, else ""."""
        process, spent = pooled.process, self.waiting.charge(pooled.open_matches(), seconds)
        if not process.ready or process.finished_cpu_s is not None:
            process.waited_s += seconds
        if not spent:
            return ""
        return self.waiting.reason if process.ready else self._not_ready()

    def refuse(self, part: pb.Batch) -> tuple[pb.Batch, pb.Choices]:
        """Refuse the decisions of matches that have spent their waiting budget: the bot forfeits
        them. Return the rest of the part, and the timeouts."""
        refused = pb.Choices()
        if not self.waiting.any_spent:
            return part, refused
        asked = list(decisions_of(part))
        spent = self.waiting.spent_among(one.match for _, one in asked)
        for ticket, one in asked:
            if one.match in spent:
                self._tries.pop(ticket, None)
                refused.choices.add(ticket=ticket, timeout=self.waiting.reason, forfeits=True)
        if not refused.choices:
            return part, refused
        kept = {ticket for ticket, one in asked if one.match not in spent}
        return with_decisions(part, kept), refused

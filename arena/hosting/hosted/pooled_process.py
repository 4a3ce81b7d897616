"""A process of the pool: the match or group that it plays, and the decisions that it has."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from arena.hosting.hosted.process import Process
from arena.hosting.hosted.report import Report
from arena.hosting.hosted.split import Purpose, decided, singly, tickets_of
from arena.protocol.v1 import play_pb2 as pb


@dataclass(slots=True)
class PooledProcess:
    """`purpose` is None as long as the process is spare."""

    purpose: Purpose | None
    process: Process
    queued: deque[pb.Batch] = field(default_factory=deque)  # one decision each, not sent yet
    sent: list[pb.Batch] = field(default_factory=list)  # some of these may be answered already
    matches: set[bytes] = field(default_factory=set)  # under way
    began: float = field(default_factory=time.time)

    @property
    def is_busy(self) -> bool:
        """Whether it has any decision, sent or queued."""
        return bool(self.process.clock.held or self.queued)

    @property
    def is_awaited(self) -> bool:
        """Whether the arena waits for it: to become ready, to decide, or to end."""
        process = self.process
        if process.killed_because:
            return False
        return not process.ready or process.finished_cpu_s is not None or bool(process.clock.held)

    def open_matches(self) -> set[str]:
        """Return the matches that wait for a decision of this process."""
        held = self.process.clock.open
        return {one.match for one in decided(self.sent, held)} if held else set()

    def unanswered(self) -> list[pb.Batch]:
        """Return the decisions that the process holds, one per batch."""
        return list(self._with_open(one for batch in self.sent for one in singly(batch)))

    def _with_open(self, batches: Iterable[pb.Batch]) -> Iterator[pb.Batch]:
        held = set(self.process.clock.open)
        for batch in batches:
            if any(ticket in held for ticket, _ in tickets_of(batch)):
                yield batch

    def take_queued(self, most: int) -> pb.Batch:
        """Take up to `most` decisions out of the queue."""
        taken = pb.Batch()
        while self.queued and most > 0:
            taken.MergeFrom(self.queued.popleft())
            most -= 1
        return taken

    def send(self, batch: pb.Batch, tickets: Sequence[tuple[int, float]], now: float) -> None:
        """Start the clocks of these decisions, and remember them until they are answered."""
        clock = self.process.clock
        self.process.last_asked = now
        if len(self.sent) > 2 * clock.held + 16:
            self.sent = list(self._with_open(self.sent))
        self.sent.append(batch)
        for ticket, allowed in tickets:
            clock.asked((ticket,), allowed, now)

    def mark_output(self, tickets: Container[int]) -> None:
        """Attribute the output since the last answer to these decisions."""
        found = decided(self.sent, tickets)
        self.process.output.mark("decision" if found else "late", found)

    def report(self, ending: str, cpu_s: float, memory_kb: int) -> Report:
        """Return the report of a process that has ended."""
        output = self.process.output
        open_ = self.unanswered()
        if not open_ and self.process.killed_because:  # its decisions were judged already
            open_ = [one for one in self.sent[-1:] if len(list(tickets_of(one))) == 1]
        parts = output.parts(decided(open_, output.marks.answered, without=True))
        wall_s = self.process.clock.owed_s(time.monotonic())
        return Report(
            self.purpose, self.began, cpu_s, wall_s, memory_kb, ending, output.text, parts
        )

"""The process pool of a hosted bot.

Each match (or group of matches) is played by one process, which ends with it. A spare process waits
for the next one.
"""

import time
from collections import deque
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from math import inf
from typing import Protocol

from arena.hosting.hosted.process import Process
from arena.hosting.hosted.report import IDLE, NO_ROOM, STAYED, Report
from arena.hosting.hosted.room import Idle, Room
from arena.hosting.hosted.split import Purpose, decided, singly, tickets_of
from arena.protocol.v1 import play_pb2 as pb

EXIT_S = 0.25  # in which a process may exit after its match while others wait for room
FORGOTTEN = 10.0  # idle times after which a match is over although no end was reported


@dataclass(slots=True)
class PooledProcess:
    """A process with the match or group that it plays, and its decisions. `purpose` is None as long
    as it is spare."""

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


class Starter(Protocol):
    """Starts processes in a sandbox; see `arena.hosting.hosted.launcher`."""

    @property
    def running(self) -> bool:
        """Whether there is a sandbox."""

    def launch(self, number: int) -> Process:
        """Start a process."""

    def stop(self) -> None:
        """End the sandbox."""


class ProcessPool:
    """The processes of one bot, within the room that all bots of the host share."""

    def __init__(self, starter: Starter, room: Room, idle_s: float) -> None:
        """After `idle_s` seconds without work the sandbox is stopped."""
        self._starter, self._room, self._idle_s = starter, room, idle_s
        self._numbers = count(1)
        self._by_number: dict[int, PooledProcess] = {}
        self._by_purpose: dict[Purpose, PooledProcess] = {}
        self._spare: PooledProcess | None = None
        self.last_used = time.monotonic()
        self.closed = False
        room.bots.append(self)

    def __iter__(self) -> Iterator[PooledProcess]:
        return iter(list(self._by_number.values()))

    @property
    def processes(self) -> int:
        return len(self._by_number)

    @property
    def has_sandbox(self) -> bool:
        return self._starter.running

    @property
    def held(self) -> int:
        """Decisions sent to the processes and not answered."""
        return sum(pooled.process.clock.held for pooled in self._by_number.values())

    def get(self, number: int) -> PooledProcess | None:
        return self._by_number.get(number)

    def playing(self, purpose: Purpose) -> PooledProcess | None:
        """Return the process that plays this match or group."""
        return self._by_purpose.get(purpose)

    # Start

    def warm_up(self) -> None:
        """Start a spare process, unless one exists."""
        if self._spare is None:
            self._spare = self._start()

    def _start(self) -> PooledProcess:
        number = next(self._numbers)
        pooled = self._by_number[number] = PooledProcess(None, self._starter.launch(number))
        return pooled

    def acquire(self, purpose: Purpose, retry: Callable[[], None]) -> PooledProcess | None:
        """Return the spare process or a new one, to play this match or group. If there is no room,
        return None and call `retry` once there may be."""
        order = self._order_of(purpose)
        if self._spare is None and not self._room.take(self, order):
            self._room.wait(order, retry)
            return None
        pooled, self._spare = self._spare or self._start(), None
        pooled.purpose = purpose
        pooled.began = time.time()
        self._by_purpose[purpose] = pooled
        if self._room.has_more(self):
            self._spare = self._start()
        return pooled

    # Room

    def idle(self) -> Iterator[Idle]:
        """Yield the processes that have no decision. One whose match is over has a moment to
        exit."""
        for pooled in self._by_number.values():
            process, at = pooled.process, pooled.process.finished_at
            stays = at is not None and time.monotonic() - at > EXIT_S
            if at is not None and stays and not process.killed_because:
                yield Idle(inf, at, partial(self.kill, pooled, STAYED))
        for purpose, pooled in self._by_purpose.items():
            if not pooled.is_busy:
                yield self._idle(pooled, self._order_of(purpose))
        if self._spare is not None:
            yield self._idle(self._spare, inf)

    def _idle(self, pooled: PooledProcess, order: float) -> Idle:
        return Idle(order, pooled.process.last_asked, lambda: self.kill(pooled, NO_ROOM))

    def answered(self, pooled: PooledProcess) -> None:
        """Offer the place of a process that has answered everything to other matches."""
        if pooled.purpose is not None and not pooled.is_busy:
            self._room.one_waits(self._idle(pooled, self._order_of(pooled.purpose)))

    def _order_of(self, purpose: Purpose) -> int:
        return self._room.order_of(self._match(purpose))

    def _match(self, purpose: Purpose) -> Hashable:
        """The key of a match among all bots: the number of a group is only unique for one bot."""
        return purpose if isinstance(purpose, bytes) else (id(self), purpose)

    def end_sandbox(self) -> None:
        """Stop the sandbox when it has no process and another bot needs its place."""
        self._starter.stop()

    # End

    def finish(self, pooled: PooledProcess) -> None:
        """Let a process exit: its match is over."""
        if pooled.purpose is not None:
            self._room.over(self._match(pooled.purpose))
        self._release(pooled)
        pooled.process.finish()

    def kill(self, pooled: PooledProcess, why: str) -> None:
        """Kill a process. Its match goes on in another one."""
        pooled.process.kill(why)
        self._release(pooled)

    def _release(self, pooled: PooledProcess) -> None:
        if pooled.purpose is not None and self._by_purpose.get(pooled.purpose) is pooled:
            del self._by_purpose[pooled.purpose]
        if self._spare is pooled:
            self._spare = None

    def is_released(self, pooled: PooledProcess) -> bool:
        """Whether a process no longer plays its match."""
        return pooled.purpose is not None and self._by_purpose.get(pooled.purpose) is not pooled

    def remove(self, pooled: PooledProcess) -> None:
        """Take out a process that has ended."""
        del self._by_number[pooled.process.number]
        self._release(pooled)

    def clear(self) -> list[PooledProcess]:
        """Take out all processes: their sandbox has ended."""
        everything = list(self)
        self._by_number.clear()
        self._by_purpose.clear()
        self._spare = None
        return everything

    def rest(self, now: float) -> None:
        """Stop the spare process and then the sandbox when the bot has been idle for long."""
        idle_s = now - self.last_used
        if idle_s > FORGOTTEN * self._idle_s and not self.held:
            for pooled in list(self._by_purpose.values()):
                self.finish(pooled)
        if idle_s < self._idle_s or self._by_purpose:
            return
        if self._spare is not None and self._spare.process.ready:
            self.kill(self._spare, IDLE)
        elif not self._by_number:
            self._starter.stop()

    def freed(self) -> None:
        """Offer the place of a process that is gone to other matches and bots."""
        self._room.freed()

    def close(self) -> list[PooledProcess]:
        """Stop the sandbox for good. Return the processes that were in it."""
        self.closed = True
        self._starter.stop()
        return self.clear()

    def leave_room(self) -> None:
        """Give the room back to other bots."""
        self._room.bots.remove(self)
        self._room.freed()

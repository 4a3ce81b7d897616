"""Delivers notices and decisions to the processes that they are for.

No process gets more decisions at a time than its bot takes. The others are queued for it. Decisions
of a match without a process wait for room.
"""

import time
from collections.abc import Callable, Sequence

from arena.games.rules.rows import VERSION, match_bytes
from arena.hosting.hosted.judge import Judge
from arena.hosting.hosted.pool import PooledProcess, ProcessPool
from arena.hosting.hosted.split import (
    Purpose,
    by_purpose,
    one_by_one,
    singly,
    tickets_of,
    with_decisions,
)
from arena.protocol.v1 import play_pb2 as pb

TOGETHER = 1  # the group of all matches of a bot with a single process


class Dispatcher:
    """`answered` gets the answers of decisions that no process is asked. `look_by` gets the time
    (monotonic) when the first clock may run out."""

    def __init__(
        self,
        pool: ProcessPool,
        judge: Judge,
        answered: Callable[[pb.Choices], None],
        look_by: Callable[[float], None],
        hello: pb.Hello | None,
        *,
        together: bool,
        reads_lines: bool,
    ) -> None:
        """`hello` is known from earlier processes. `together`: one process plays all matches.
        `reads_lines`: the bot is a program, which reads JSON lines."""
        self._pool, self._judge = pool, judge
        self._answered, self._look_by = answered, look_by
        self._together, self._reads_lines = together, reads_lines
        self._groups: dict[bytes, int] = {}  # by match, for matches in a group
        self._waiting: dict[Purpose, pb.Batch] = {}  # for room
        self.hello = hello  # of the first process

    def deliver(self, batch: pb.Batch, *, again: bool = False) -> None:
        """Deliver a batch. With `again`, decisions that are still open are left out: a gateway
        sends them again on a new stream."""
        if again:
            sent_again = {ticket for ticket, _ in tickets_of(batch)}
            batch = with_decisions(batch, sent_again - self._open())
        for started in batch.started:
            if started.group:
                self._groups[match_bytes(started.match)] = started.group
        parts: dict[Purpose, pb.Batch] = {TOGETHER: batch}
        if not self._together:
            parts = by_purpose(batch, self._groups)
        for purpose, part in parts.items():
            self.hand(purpose, part)
        for ended in batch.ended:
            self._groups.pop(match_bytes(ended.match), None)
            self._judge.waiting.over(ended.match)

    def _open(self) -> set[int]:
        """Return the tickets of all decisions that were sent, are queued, or wait for room."""
        open_ = {ticket for pooled in self._pool for ticket in pooled.process.clock.open}
        queued = (batch for pooled in self._pool for batch in pooled.queued)
        for batch in (*queued, *self._waiting.values()):
            open_.update(ticket for ticket, _ in tickets_of(batch))
        return open_

    def hand(self, purpose: Purpose, part: pb.Batch) -> None:
        """Hand the part of a batch that is for one match or group to its process."""
        if self._pool.closed:
            return
        self._pool.last_used = time.monotonic()
        part, refused = self._judge.refuse(part)
        if refused.choices:
            self._answered(refused)
        pooled = self._pool.playing(purpose)
        if pooled is None and purpose in self._waiting:
            if part.ended and isinstance(purpose, bytes):
                del self._waiting[purpose]
            else:
                self._waiting[purpose].MergeFrom(part)
            return
        if pooled is None and not (part.started or part.decisions or part.packed):
            return  # the match is over, or its process is gone
        if pooled is None:
            pooled = self._pool.acquire(purpose, lambda: self._retry(purpose))
            if pooled is None:
                self._waiting[purpose] = part
                return
            self._look_by(self._judge.waiting.next_sample)
        self._send(pooled, part)
        for ended in part.ended:
            pooled.matches.discard(match_bytes(ended.match))
        if part.ended and (isinstance(purpose, bytes) or not (pooled.matches or pooled.is_busy)):
            self._pool.finish(pooled)

    def _retry(self, purpose: Purpose) -> None:
        part = self._waiting.pop(purpose, None)
        if part is not None:
            self.hand(purpose, part)

    def _send(self, pooled: PooledProcess, part: pb.Batch) -> None:
        pooled.matches.update(match_bytes(started.match) for started in part.started)
        if (notices := self._notices(part)).ByteSize():
            pooled.process.send(notices)
        tickets = list(tickets_of(part))
        if pooled.queued or pooled.process.clock.held + len(tickets) > self._max_in_flight():
            pooled.queued.extend(singly(part))
            self.send_queued(pooled)
        elif tickets:
            decisions = pb.Batch(decisions=part.decisions, packed=part.packed)
            self._send_decisions(pooled, decisions, tickets)

    def _notices(self, part: pb.Batch) -> pb.Batch:
        wants_notices = self.hello is None or self.hello.notices
        notices = pb.Batch()
        if wants_notices or not self._reads_lines:
            notices.faults.extend(part.faults)
        if wants_notices:
            notices.started.extend(part.started)
            notices.rounds.extend(part.rounds)
            notices.ended.extend(part.ended)
        return notices

    def _max_in_flight(self) -> int:
        """Decisions that a process takes at a time; one until the bot has said how many."""
        return max(1, self.hello.max_in_flight) if self.hello else 1

    def send_queued(self, pooled: PooledProcess) -> None:
        """Send a process its queued decisions, as many as it takes now."""
        free = self._max_in_flight() - pooled.process.clock.held
        decisions = pooled.take_queued(free)
        if decisions.ByteSize():
            self._send_decisions(pooled, decisions, list(tickets_of(decisions)))

    def _send_decisions(
        self, pooled: PooledProcess, decisions: pb.Batch, tickets: Sequence[tuple[int, float]]
    ) -> None:
        now = time.monotonic()
        pooled.send(decisions, tickets, now)
        self._look_by(now + min(allowed for _, allowed in tickets))
        if self.hello is not None and self.hello.packed != VERSION:
            decisions = one_by_one(decisions)
        pooled.process.send(decisions)

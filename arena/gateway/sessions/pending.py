"""What is on its way to a bot: decisions with their clocks, and notices.

Times are monotonic seconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

from arena.gateway.limits import MOST_IN_A_MESSAGE
from arena.instant import overlap
from arena.protocol.decisions import with_time
from arena.protocol.internal.relay_pb2 import Delivery, RelayBatch

LEAST_AFTER_ABSENCE_S = 1.0
# However long a gateway stalls, and however often, a move takes no longer than that.
MOST_FORGIVEN_S = 60.0


@dataclass(slots=True)
class PendingDecision:
    """A decision that is not answered yet."""

    ticket: int
    decision: bytes  # an encoded arena.v1.Decision
    allowed: float  # seconds
    reply_to: str
    left: float  # seconds on its clock, from the moment it is sent
    sent: float | None = None  # when, if it is
    offered: float | None = None  # since when it waits only for the bot to read
    forgiven: float = 0.0  # seconds that stalls of the gateway have given back

    def encoded(self) -> bytes:
        """The Decision as it is sent, with the time that is left."""
        if self.left == self.allowed:
            return self.decision
        return with_time(self.decision, round(self.left * 1000))

    @property
    def ends(self) -> float:
        """When its time is up; never, as long as it is not sent."""
        return inf if self.sent is None else self.sent + self.left

    def lacks(self) -> float:
        """What it would take to give the bot, which was away, a second at least."""
        return max(0.0, min(LEAST_AFTER_ABSENCE_S, self.allowed) - self.left)

    def expired_unread(self, now: float) -> bool:
        """Whether the bot could have read it for so long that its time is up."""
        return self.offered is not None and now - self.offered >= self.left

    def forgive(self, since: float, until: float) -> None:
        """Gives back what its clock ran in this time, up to a minute in all."""
        began = self.sent if self.sent is not None else self.offered
        if began is None:
            return
        seconds = min(overlap(began, since, until), MOST_FORGIVEN_S - self.forgiven)
        self.forgiven += seconds
        if self.sent is not None:
            self.left += seconds
        elif self.offered is not None:
            self.offered += seconds

    def latency_us(self, now: float) -> int:
        """Microseconds since it was sent; 0 if it was not."""
        return 0 if self.sent is None else int((now - self.sent) * 1_000_000)


# What Python needs for a short text and its place in a queue, bytes.
OVERHEAD = 64


@dataclass(slots=True)
class Notices:
    """Notices that wait to be sent, each encoded: at most `limit` bytes of them."""

    limit: int
    started: deque[bytes] = field(default_factory=deque)
    rounds: deque[bytes] = field(default_factory=deque)
    faults: deque[bytes] = field(default_factory=deque)
    ended: deque[bytes] = field(default_factory=deque)
    size: int = 0
    dropped: int = 0  # since `take_dropped`

    def enqueue(self, delivery: Delivery, *, everything: bool) -> None:
        """Queues a delivery's notices; without `everything` only its faults."""
        self._add(self.faults, delivery.faults)
        if everything:
            self._add(self.started, delivery.started)
            self._add(self.rounds, delivery.rounds)
            self._add(self.ended, delivery.ended)

    def _add(self, queue: deque[bytes], notices: Iterable[bytes]) -> None:
        for notice in notices:
            size = len(notice) + OVERHEAD
            if self.size + size > self.limit:
                self.dropped += 1
            else:
                queue.append(notice)
                self.size += size

    def fill(self, batch: RelayBatch) -> None:
        """Moves what waits into a message."""
        batch.started.extend(self._taken(self.started))
        batch.rounds.extend(self._taken(self.rounds))
        batch.faults.extend(self._taken(self.faults))
        batch.ended.extend(self._taken(self.ended))

    def _taken(self, queue: deque[bytes]) -> list[bytes]:
        taken = [queue.popleft() for _ in range(min(len(queue), MOST_IN_A_MESSAGE))]
        self.size -= sum(map(len, taken)) + OVERHEAD * len(taken)
        return taken

    def take_dropped(self) -> int:
        """How many had no room since the last call."""
        dropped, self.dropped = self.dropped, 0
        return dropped

    def __bool__(self) -> bool:
        return bool(self.started or self.rounds or self.faults or self.ended)

"""What is on its way to a bot: questions with their clocks, and notices.

Times are of the monotonic clock, in seconds.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from arena.protocol.internal.relay_pb2 import Delivery, RelayBatch
from arena.record import varint

# Contents of one message to a bot, so that it stays well below 4 MB.
MOST_IN_A_MESSAGE = 512


@dataclass(slots=True)
class Question:
    """A question on its way."""

    ticket: int
    decision: bytes  # an encoded arena.v1.Decision
    allowed: float  # seconds
    reply_to: str
    left: float  # seconds on its clock when it is sent
    sent: float = 0.0  # 0: waits to be sent
    gained: float = 0.0  # seconds that absences gave it

    def encoded(self) -> bytes:
        """The Decision as it is sent, with the time that is left."""
        if not self.gained:
            return self.decision
        # A field that comes twice counts as its last value: this one is Decision.time_ms.
        return self.decision + b"\x10" + varint(round(self.left * 1000))

    @property
    def ends(self) -> float:
        """When its time is up, once it is sent."""
        return self.sent + self.left

    def latency_us(self, now: float) -> int:
        """Microseconds since it was sent; 0 if it was not."""
        return int((now - self.sent) * 1_000_000) if self.sent else 0


@dataclass(slots=True)
class Notices:
    """Notices that wait to be sent, each encoded."""

    started: deque[bytes] = field(default_factory=deque)
    rounds: deque[bytes] = field(default_factory=deque)
    faults: deque[bytes] = field(default_factory=deque)
    ended: deque[bytes] = field(default_factory=deque)

    def take_in(self, delivery: Delivery, everything: bool) -> None:
        """Queues a delivery's notices; faults are always told."""
        self.faults.extend(delivery.faults)
        if everything:
            self.started.extend(delivery.started)
            self.rounds.extend(delivery.rounds)
            self.ended.extend(delivery.ended)

    def fill(self, batch: RelayBatch) -> None:
        """Moves what waits into a message."""
        batch.started.extend(_taken(self.started))
        batch.rounds.extend(_taken(self.rounds))
        batch.faults.extend(_taken(self.faults))
        batch.ended.extend(_taken(self.ended))

    def __bool__(self) -> bool:
        return bool(self.started or self.rounds or self.faults or self.ended)


def _taken(queue: deque[bytes]) -> list[bytes]:
    return [queue.popleft() for _ in range(min(len(queue), MOST_IN_A_MESSAGE))]

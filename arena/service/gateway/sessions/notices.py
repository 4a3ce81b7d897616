"""Queues notices for a bot."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from arena.protocol.internal.relay_pb2 import Delivery, RelayBatch
from arena.service.gateway.limits import MOST_IN_A_MESSAGE

# Memory of a short byte string and its place in a queue, in bytes.
OVERHEAD = 64


@dataclass(slots=True)
class Notices:
    """Encoded notices that wait to be sent, at most `limit` bytes."""

    limit: int
    started: deque[bytes] = field(default_factory=deque)
    rounds: deque[bytes] = field(default_factory=deque)
    faults: deque[bytes] = field(default_factory=deque)
    ended: deque[bytes] = field(default_factory=deque)
    size: int = 0
    dropped: int = 0  # since `take_dropped`

    def enqueue(self, delivery: Delivery, *, everything: bool) -> None:
        """Queue a delivery's notices; only faults unless `everything`."""
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
        """Move queued notices into a message."""
        batch.started.extend(self._taken(self.started))
        batch.rounds.extend(self._taken(self.rounds))
        batch.faults.extend(self._taken(self.faults))
        batch.ended.extend(self._taken(self.ended))

    def _taken(self, queue: deque[bytes]) -> list[bytes]:
        taken = [queue.popleft() for _ in range(min(len(queue), MOST_IN_A_MESSAGE))]
        self.size -= sum(map(len, taken)) + OVERHEAD * len(taken)
        return taken

    def take_dropped(self) -> int:
        """Return how many were dropped since the last call."""
        dropped, self.dropped = self.dropped, 0
        return dropped

    def __bool__(self) -> bool:
        return bool(self.started or self.rounds or self.faults or self.ended)

"""The move clocks of one player's open decisions. Times are monotonic seconds."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from arena.service.gateway.sessions.batches import DecisionBatch
from arena.service.gateway.sessions.open_decisions import OpenDecisions


class MoveClocks:
    """Knows when the next clock may run out, so that a tick costs little."""

    def __init__(self, open_: OpenDecisions) -> None:
        self._open = open_
        self.next_end = inf  # no clock runs out before

    def started(self, sent: Sequence[DecisionBatch]) -> None:
        """These batches were sent."""
        self.next_end = min([self.next_end, *[batch.ends for batch in sent]])

    def update(self) -> None:
        """Look when the first clock runs out."""
        self.next_end = self._open.first_end()

    def overdue(self, judged: float) -> bool:
        """Return whether a clock ran out by then."""
        if self.next_end > judged:
            return False
        self.update()
        return self.next_end <= judged

    def unread(self, count: int, now: float, judged: float) -> bool:
        """Run the clocks of the next `count` waiting decisions, which the bot does not read though
        it has room for them. Return whether one ran out by `judged`."""
        self._open.offer(count, now)
        return self._open.any_unread(judged)

    def forgive(self, since: float, until: float) -> None:
        """Give the clocks this time back."""
        if self._open:  # as of few among thousands
            for batch in self._open.batches():
                batch.forgive(since, until)
            self.update()

    def stop(self, now: float) -> None:
        """Stop the clocks while the bot is away."""
        for batch in self._open.batches():
            batch.stop(now)

    def reset(self) -> None:
        """No clock runs until decisions are sent again."""
        self.next_end = inf

"""Simulated time: events in order, without waiting."""

import heapq
from collections.abc import Callable
from itertools import count

from arena.base.instant import Instant

EPOCH = 1_700_000_000.0  # Unix seconds at which simulations start


class SimClock:
    """A clock that jumps to the next event."""

    def __init__(self) -> None:
        self.now = 0.0
        self._events: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = count()  # events of one moment happen in the order of creation

    def instant(self) -> Instant:
        """Return the current time of both clocks."""
        return Instant(self.now, EPOCH + self.now)

    def call_at(self, when: float, action: Callable[[], object]) -> None:
        """Call `action` at a time, or now if it has passed."""
        heapq.heappush(self._events, (max(when, self.now), next(self._numbers), action))

    def call_after(self, seconds: float, action: Callable[[], object]) -> None:
        """Call `action` after `seconds` seconds."""
        self.call_at(self.now + seconds, action)

    def every(
        self, seconds: float, action: Callable[[], object], goes_on: Callable[[], bool]
    ) -> None:
        """Call `action` now and every `seconds` seconds, as long as `goes_on` is true."""

        def again() -> None:
            if goes_on():
                action()
                self.call_after(seconds, again)

        again()

    def run(self, until: Callable[[], bool], limit_s: float) -> bool:
        """Run events until the condition holds. Return False at the limit."""
        while not until():
            if not self._events or self._events[0][0] > limit_s:
                return False
            self.now, _, action = heapq.heappop(self._events)
            action()
        return True

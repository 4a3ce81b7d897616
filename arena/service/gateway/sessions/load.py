"""How many decisions a bot has, and how fast it answers. Times are monotonic seconds."""

from __future__ import annotations

from collections.abc import Sequence

from arena.service.gateway.meter import Meter, RecentMean

LATENCY_WEIGHT = 0.05  # of a new answer in the moving mean


class SessionLoad:
    """Measures one session."""

    def __init__(self) -> None:
        self.meter = Meter()
        self.latency_ms: float | None = None  # moving mean
        self.changed = 0.0  # when the number of open decisions changed last
        self._queue = RecentMean()  # of open decisions

    def queue(self, now: float | None = None) -> float:
        """Return the recent mean of open decisions, as of now or of the last change."""
        return self._queue.mean(self.changed if now is None else now)

    def changes(self, now: float, held: int, waiting: int, answered: int = 0) -> None:
        """From now on the bot holds `held` decisions, and `waiting` more wait. It has answered so
        many at this moment."""
        self.meter.holds(now, held, answered)
        self._queue.changes(now, held + waiting)
        self.changed = now

    def answered(self, latencies_us: Sequence[int]) -> None:
        """Take answers into the mean latency, as if each came by itself."""
        count = len(latencies_us)
        mean, new = self.latency_ms, sum(latencies_us) / count / 1000
        if mean is not None:
            new += (1 - LATENCY_WEIGHT) ** count * (mean - new)
        self.latency_ms = new

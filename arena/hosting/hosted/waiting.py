"""The waiting budget: how long a bot may keep a match waiting without computing.

A process is sampled at random times. If it waits at a sample (`Process.is_waiting`), it is charged
the time since the last one. The sum is unbiased, whatever the process does between samples. A
process that waits for a core, a disk or the host is not charged. This does no IO.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

SAMPLE_S = 0.5  # between two samples, on average
LEAST_SAMPLES = 10  # before a budget can be spent
MOST_MATCHES = 100_000  # including those whose end the arena did not report


class WaitingBudget:
    """Counts how long each match of a bot has waited, up to `budget_s` seconds."""

    def __init__(
        self,
        budget_s: float,
        now: float,
        between: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self.budget_s = budget_s
        self._mean = min(SAMPLE_S, budget_s / LEAST_SAMPLES)
        self._between = between
        self._waited: dict[str, float] = {}  # seconds, by match
        self._spent: set[str] = set()
        self._draw(now)

    @property
    def any_spent(self) -> bool:
        """Whether a match under way has spent its budget."""
        return bool(self._spent)

    @property
    def reason(self) -> str:
        """The reason of the fault."""
        return (
            f"It kept its match waiting for {self.budget_s:g} s without computing, the limit per"
            " match. Remove sleeps and waits from the bot."
        )

    def _draw(self, now: float) -> None:
        self._interval = self._between(0.5 * self._mean, 1.5 * self._mean)
        self.next_sample = now + self._interval

    def sampled(self, now: float) -> float:
        """Return the seconds that a sample taken now stands for. A late sample counts no longer."""
        interval = self._interval
        self._draw(now)
        return interval

    def charge(self, matches: Iterable[str], seconds: float) -> bool:
        """Charge these matches. Return whether one of them has spent its budget."""
        spent = False
        for match in matches:
            if match not in self._waited and len(self._waited) >= MOST_MATCHES:
                self.over(next(iter(self._waited)))
            self._waited[match] = self._waited.get(match, 0.0) + seconds
            if self._waited[match] > self.budget_s:
                self._spent.add(match)
                spent = True
        return spent

    def spent_among(self, matches: Iterable[str]) -> set[str]:
        """Return which of these matches have spent their budget."""
        return self._spent.intersection(matches)

    def over(self, match: str) -> None:
        """Forget a match that has ended."""
        self._waited.pop(match, None)
        self._spent.discard(match)

"""A simulated network that loses, duplicates and reorders messages, and reliable streams."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from tests.lab.faults.clock import SimClock

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Quality:
    """The delay from `least_s` to `most_s` seconds, and the shares of messages that are lost or
    duplicated (0 to 1)."""

    least_s: float = 0.0002
    most_s: float = 0.005
    loss: float = 0.0
    duplicates: float = 0.0


class Network:
    """Messages between processes, each with its own delay, so that some overtake others."""

    def __init__(self, clock: SimClock, rng: Random, quality: Quality) -> None:
        self.quality = quality
        self.counts = Counter[str]()  # sent, lost, duplicated
        self._clock, self._rng = clock, rng

    def delay(self) -> float:
        """Return the delay of a message in seconds."""
        return self._rng.uniform(self.quality.least_s, self.quality.most_s)

    def send(self, message: M, deliver: Callable[[M], object]) -> None:
        """Send a message. `deliver` is called for each copy that arrives."""
        self.counts["sent"] += 1
        if self._rng.random() < self.quality.loss:
            self.counts["lost"] += 1
            return
        copies = 1
        if self._rng.random() < self.quality.duplicates:
            self.counts["duplicated"] += 1
            copies = 2
        for _ in range(copies):
            self._clock.call_after(self.delay(), lambda: deliver(message))


class Link:
    """One direction of a stream: messages arrive once and in order until it breaks."""

    def __init__(self, clock: SimClock, network: Network) -> None:
        self.broken = False
        self._clock, self._network = clock, network
        self._last = 0.0

    def send(self, message: M, deliver: Callable[[M], object]) -> None:
        """Send a message. It is lost if the link breaks before it arrives."""

        def arrive() -> None:
            if not self.broken:
                deliver(message)

        self._last = max(self._last, self._clock.now + self._network.delay())
        self._clock.call_at(self._last, arrive)

"""A token bucket: allows a burst, and after that a steady rate."""

from __future__ import annotations


class TokenBucket:
    """Holds up to `capacity` tokens, and refills by `per_s` tokens a second. It starts full.

    Times are monotonic seconds. A time before the last one counts as the last one.
    """

    __slots__ = ("_at", "_tokens", "capacity", "per_s")

    def __init__(self, capacity: float, per_s: float, now: float) -> None:
        """Raises ValueError for a capacity or a rate that is not positive."""
        if capacity <= 0 or per_s <= 0:
            raise ValueError(f"capacity ({capacity}) and rate ({per_s}) must be positive")
        self.capacity, self.per_s = capacity, per_s
        self._tokens, self._at = capacity, now

    def take(self, now: float, n: float = 1.0) -> bool:
        """Take `n` tokens. Return False, and take none, if there are fewer."""
        self._refill(now)
        if self._tokens < n:
            return False
        self._tokens -= n
        return True

    def charge(self, now: float, n: float) -> None:
        """Take `n` tokens, if necessary on credit up to the capacity."""
        self._refill(now)
        self._tokens = max(-self.capacity, self._tokens - n)

    def wait_s(self, now: float, n: float = 1.0) -> float:
        """Return the seconds until there are `n` tokens, or until it is full if `n` is larger."""
        self._refill(now)
        return max(0.0, min(n, self.capacity) - self._tokens) / self.per_s

    def _refill(self, now: float) -> None:
        passed = max(0.0, now - self._at)
        self._tokens = min(self.capacity, self._tokens + passed * self.per_s)
        self._at += passed

"""A token bucket: it lets a burst through, and after that a steady rate."""

from __future__ import annotations


class TokenBucket:
    """Holds up to `capacity` tokens and gets `per_s` back a second; it begins full.

    Times are monotonic seconds; one that lies before the last one counts as the last one.
    """

    __slots__ = ("_at", "_tokens", "capacity", "per_s")

    def __init__(self, capacity: float, per_s: float, now: float) -> None:
        """Raises ValueError for a capacity or a rate that is not positive."""
        if capacity <= 0 or per_s <= 0:
            raise ValueError(f"a bucket of {capacity} that gets {per_s} a second lets nobody in")
        self.capacity, self.per_s = capacity, per_s
        self._tokens, self._at = capacity, now

    def take(self, now: float, n: float = 1.0) -> bool:
        """Takes `n` tokens; False, and takes none, if there are fewer."""
        self._refill(now)
        if self._tokens < n:
            return False
        self._tokens -= n
        return True

    def charge(self, now: float, n: float) -> None:
        """Takes `n` tokens for what has happened already, if need be on credit: at most as many
        as the bucket holds."""
        self._refill(now)
        self._tokens = max(-self.capacity, self._tokens - n)

    def wait_s(self, now: float, n: float = 1.0) -> float:
        """Seconds until there are `n` tokens, or until it is full if it never holds so many."""
        self._refill(now)
        return max(0.0, min(n, self.capacity) - self._tokens) / self.per_s

    def _refill(self, now: float) -> None:
        passed = max(0.0, now - self._at)
        self._tokens = min(self.capacity, self._tokens + passed * self.per_s)
        self._at += passed

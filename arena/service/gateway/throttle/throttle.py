"""The limits and bans of many callers.

A caller that exceeds a limit is refused until its bucket has refilled. If it keeps calling, it is
*banned* for a while. Times are monotonic seconds.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from arena.service.gateway.throttle.token_bucket import TokenBucket

MOST_CALLERS = 10_000  # remembered; the least recent is forgotten first


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal, for more than `most` a minute of `what`. The caller may retry in `wait_s`
    seconds."""

    what: str
    most: float
    wait_s: float
    banned: bool = False
    begins: bool = False  # a new ban


@dataclass(slots=True)
class CallerBuckets:
    """The state of one caller."""

    refusals: TokenBucket
    buckets: dict[str, TokenBucket] = field(default_factory=dict)
    told_until: float = 0.0  # when it may retry, according to the last refusal
    banned_until: float = 0.0
    banned_for: str = ""


class Throttle:
    """The limits of many callers, by address or by token."""

    def __init__(
        self,
        rates: Mapping[str, float],
        refusals: float,
        ban_s: float,
        most_callers: int = MOST_CALLERS,
    ) -> None:
        """`rates` are limits per minute by kind, which a caller may use at once. A caller that
        retries too early more than `refusals` times a minute is banned for `ban_s` seconds."""
        self._rates = dict(rates)
        self._refusals = refusals
        self._ban_s = ban_s
        self._most = most_callers
        self._callers = OrderedDict[Hashable, CallerBuckets]()

    def __len__(self) -> int:
        return len(self._callers)

    def ban(self, caller: Hashable, now: float) -> Refusal | None:
        """Return the current ban of a caller."""
        known = self._callers.get(caller)
        if known is None or now >= known.banned_until:
            return None
        what = known.banned_for
        return Refusal(what, self._rates[what], known.banned_until - now, banned=True)

    def take(self, caller: Hashable, what: str, now: float, n: float = 1.0) -> Refusal | None:
        """Take `n` of a kind from a caller's limit. Return a refusal if there are fewer left."""
        if refusal := self.ban(caller, now):
            return refusal
        if self._bucket(caller, what, now).take(now, n):
            return None
        return self._refuse(caller, what, now, n)

    def charge(self, caller: Hashable, what: str, now: float, n: float = 1.0) -> Refusal | None:
        """Count `n` past events of a kind. Return a refusal of the next if the limit is
        exceeded."""
        if refusal := self.ban(caller, now):
            return refusal
        bucket = self._bucket(caller, what, now)
        bucket.charge(now, n)
        return self._refuse(caller, what, now, 0.0) if bucket.wait_s(now, 0.0) > 0 else None

    def exhausted(self, caller: Hashable, what: str, now: float) -> Refusal | None:
        """Return a refusal if a caller has none left, without taking any."""
        if refusal := self.ban(caller, now):
            return refusal
        if caller not in self._callers or not self._bucket(caller, what, now).wait_s(now):
            return None
        return self._refuse(caller, what, now, 1.0)

    def _refuse(self, caller: Hashable, what: str, now: float, n: float) -> Refusal:
        known = self._callers[caller]
        if now < known.told_until and not known.refusals.take(now):
            known.banned_until, known.banned_for = now + self._ban_s, what
            return Refusal(what, self._rates[what], self._ban_s, banned=True, begins=True)
        wait_s = known.buckets[what].wait_s(now, n)
        known.told_until = now + wait_s
        return Refusal(what, self._rates[what], wait_s)

    def _bucket(self, caller: Hashable, what: str, now: float) -> TokenBucket:
        known = self._callers.get(caller)
        if known is None:
            known = CallerBuckets(TokenBucket(self._refusals, self._refusals / 60, now))
            self._callers[caller] = known
            if len(self._callers) > self._most:
                self._callers.popitem(last=False)
        else:
            self._callers.move_to_end(caller)
        bucket = known.buckets.get(what)
        if bucket is None:
            rate = self._rates[what]
            bucket = known.buckets[what] = TokenBucket(rate, rate / 60, now)
        return bucket

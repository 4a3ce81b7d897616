"""What many callers have left of their limits, and who is banned.

A caller who exceeds a limit is refused until its bucket has refilled. One who goes on all the same
is *banned*: refused altogether for a while. Times are monotonic seconds.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from arena.service.gateway.throttle.token_bucket import TokenBucket

MOST_CALLERS = 10_000  # remembered at once; the one unheard of for longest is forgotten


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a caller is refused: more than `most` a minute of `what`. Seconds until it may come
    again."""

    what: str
    most: float
    wait_s: float
    banned: bool = False
    begins: bool = False  # with this refusal the ban began


@dataclass(slots=True)
class CallerBuckets:
    """What one caller has left."""

    refusals: TokenBucket
    buckets: dict[str, TokenBucket] = field(default_factory=dict)
    told_until: float = 0.0  # when it may come again, as it was told
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
        """`rates` say how many a minute of each kind every caller may have; a minute's share may
        come at once. A caller may come so many times a minute before it was told to
        (`refusals`); then it is banned for `ban_s` seconds."""
        self._rates = dict(rates)
        self._refusals = refusals
        self._ban_s = ban_s
        self._most = most_callers
        self._callers = OrderedDict[Hashable, CallerBuckets]()

    def __len__(self) -> int:
        return len(self._callers)

    def ban(self, caller: Hashable, now: float) -> Refusal | None:
        """The ban that a caller is under."""
        known = self._callers.get(caller)
        if known is None or now >= known.banned_until:
            return None
        what = known.banned_for
        return Refusal(what, self._rates[what], known.banned_until - now, banned=True)

    def take(self, caller: Hashable, what: str, now: float, n: float = 1.0) -> Refusal | None:
        """Takes `n` of a kind from what a caller may have; None, or why it is refused."""
        if refusal := self.ban(caller, now):
            return refusal
        if self._bucket(caller, what, now).take(now, n):
            return None
        return self._refuse(caller, what, now, n)

    def charge(self, caller: Hashable, what: str, now: float, n: float = 1.0) -> Refusal | None:
        """Counts `n` of a kind that have happened already; None, or why to refuse the next."""
        if refusal := self.ban(caller, now):
            return refusal
        bucket = self._bucket(caller, what, now)
        bucket.charge(now, n)
        return self._refuse(caller, what, now, 0.0) if bucket.wait_s(now, 0.0) > 0 else None

    def exhausted(self, caller: Hashable, what: str, now: float) -> Refusal | None:
        """The same for a caller that has none left, without taking any."""
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

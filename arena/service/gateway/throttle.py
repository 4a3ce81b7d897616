"""The limits and bans of many callers, sans-IO: the time in, permissions and refusals out.

A caller that exceeds a limit is refused until its bucket has refilled. If it keeps calling, it is
*banned* for a while. Times are monotonic seconds.
"""

import re
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from arena.base.addresses import Address, Network, network, plain

MOST_CALLERS = 10_000  # remembered; the least recent is forgotten first

# For example "ipv4:192.0.2.7:4711", "ipv6:%5B2001:db8::1%5D:4711".
PEER = re.compile(r"ipv[46]:\[?([0-9a-fA-F:.]+)(?:%[^\]]*)?\]?:(\d+)")


class TokenBucket:
    """Holds up to `capacity` tokens, and refills by `per_s` tokens a second. It starts full. Times
    are monotonic seconds. A time before the last one counts as the last one."""

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


@dataclass(frozen=True, slots=True)
class Peer:
    """The other end of a connection; `address` is None for connections other than IP."""

    address: Address | None
    port: int = 0

    @property
    def network(self) -> str:
        """The network under which limits count it."""
        return "" if self.address is None else network(self.address)

    def within(self, listed: Iterable[Network]) -> bool:
        """Return whether it is in one of these networks. Connections other than IP are in all."""
        return self.address is None or any(self.address in one for one in listed)


def parse_peer(text: str) -> Peer:
    """Parse the name of a peer in gRPC."""
    found = PEER.fullmatch(unquote(text))
    return Peer(plain(found[1]), int(found[2])) if found else Peer(None)

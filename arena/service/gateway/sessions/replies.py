"""Gathers replies to workers, so that one push carries many.

Times are monotonic seconds.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from arena.protocol.internal.relay_pb2 import Replies, Reply

# A worker that gets its replies together sends its next decisions in large messages. So replies
# wait for the last one, or up to GATHER_S while at least MANY are missing.
GATHER_S = 0.01
MANY = 8

# Keeps an element of a reply list below a few hundred kilobytes.
MOST_IN_A_BUNDLE = 4096


@dataclass(slots=True)
class Bundle:
    """Replies for one reply list; see Replies in relay.proto."""

    tickets: list[int] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)
    latencies_us: list[int] = field(default_factory=list)
    others: list[Reply] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.tickets) + len(self.others)

    def extend(self, more: Bundle) -> None:
        """Add the replies of another bundle."""
        self.tickets += more.tickets
        self.indices += more.indices
        self.latencies_us += more.latencies_us
        self.others += more.others

    def encoded(self) -> bytes:
        """Encode as Replies."""
        return Replies(
            tickets=self.tickets,
            indices=self.indices,
            latencies_us=self.latencies_us,
            others=self.others,
        ).SerializeToString()

    def outcomes(self) -> Counter[Reply.Outcome]:
        """Count the replies by outcome."""
        counts = Counter([reply.outcome for reply in self.others])
        counts[Reply.ANSWER] += len(self.tickets)
        return counts


class ReplyBuffer:
    """Holds replies, by reply list, until they are due.

    A worker has one list per batch of matches.
    """

    def __init__(self) -> None:
        self._expected = Counter[str]()  # by list: missing replies
        self._held: dict[str, Bundle] = {}
        self._due: dict[str, float] = {}  # latest time of the push
        self.ready: list[tuple[str, Bundle]] = []  # to be pushed now

    def expect(self, reply_to: str, count: int) -> None:
        """Expect `count` more replies on this list."""
        self._expected[reply_to] += count

    def expect_no_longer(self, reply_to: str) -> None:
        """Expect one reply less: it goes to another list."""
        self._expected[reply_to] -= 1
        if self._expected[reply_to] <= 0:
            self._release(reply_to)

    def add(self, reply_to: str, replies: Bundle, now: float) -> None:
        """Take replies to expected decisions."""
        bundle = self._held.get(reply_to)
        if bundle is None:
            self._held[reply_to] = bundle = replies
        else:
            bundle.extend(replies)
        left = self._expected[reply_to] = self._expected[reply_to] - len(replies)
        if left <= 0 or len(bundle) >= MOST_IN_A_BUNDLE:
            self._release(reply_to)
        elif reply_to not in self._due:
            self._due[reply_to] = now + (GATHER_S if left >= MANY else 0.0)

    def release_due(self, now: float) -> None:
        """Release replies that are due."""
        for reply_to in [one for one, due in self._due.items() if due <= now]:
            self._release(reply_to)

    def next_due(self) -> float | None:
        """Return when to call `release_due` next."""
        return min(self._due.values(), default=None)

    def take_ready(self) -> list[tuple[str, Bundle]]:
        """Take out the replies to push now."""
        ready, self.ready = self.ready, []
        return ready

    def __bool__(self) -> bool:
        return bool(self._held or self.ready)

    def _release(self, reply_to: str) -> None:
        self._due.pop(reply_to, None)
        if self._expected[reply_to] <= 0:
            del self._expected[reply_to]
        if bundle := self._held.pop(reply_to, None):
            self.ready.append((reply_to, bundle))

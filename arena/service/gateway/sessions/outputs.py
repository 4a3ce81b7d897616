"""The outputs of sessions, which the caller carries out after each event: messages, commands, and
replies to workers, gathered so that one push carries many. Times are monotonic seconds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from arena.protocol.internal.relay_pb2 import Replies, Reply
from arena.service.live.player_presence import Presence

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
        self.tickets += more.tickets
        self.indices += more.indices
        self.latencies_us += more.latencies_us
        self.others += more.others

    def encoded(self) -> bytes:
        return Replies(
            tickets=self.tickets,
            indices=self.indices,
            latencies_us=self.latencies_us,
            others=self.others,
        ).SerializeToString()

    def outcomes(self) -> Counter[Reply.Outcome]:
        counts = Counter([reply.outcome for reply in self.others])
        counts[Reply.ANSWER] += len(self.tickets)
        return counts


class ReplyBuffer:
    """Holds replies, by reply list, until they are due. A worker has one list per batch of
    matches."""

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


if TYPE_CHECKING:
    from arena.service.gateway.sessions.player_session import PlayerSession
    from arena.service.gateway.sessions.stream import Stream

# Texts of problems, by code.
PROBLEMS = {
    "unknown_ticket": "No decision with ticket {ticket} is open: it was answered, timed out, or"
    " never sent. The choice is ignored.",
    "unknown_tickets": "{count} more choices of the same message answer no open decision either.",
    "malformed_choice": "The choice for ticket {ticket} has no answer. Set its index, action, error"
    " or timeout. It counts as an error.",
    "too_many_choices": "{sentence} Until then, excess choices are dropped without a"
    " message, and the stream is read once a second.",
    "notices_dropped": "{count} notices were dropped, because the bot did not read earlier"
    " ones. Read faster, or set Hello.notices to false.",
}


@dataclass(frozen=True, slots=True)
class RefreshPresence:
    """Write a changed presence. Then call `SessionRegistry.refresh_lost` if there is a newer
    one."""

    presence: Presence


@dataclass(frozen=True, slots=True)
class ReleasePresence:
    """Remove a presence: its session is over."""

    presence: Presence


@dataclass(frozen=True, slots=True)
class NoteAllowance:
    """Store the remaining grace time of a player for the next gateway to which it connects. It lost
    its stream at `at` (Unix seconds); infinite if it has one."""

    presence: Presence
    left_s: float
    at: float


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Mark a player that stayed away as gone, unless it has a newer session. Then call
    `SessionRegistry.given_up`, or `give_up_failed` if Redis is unavailable."""

    session: PlayerSession


Command: TypeAlias = RefreshPresence | ReleasePresence | NoteAllowance | GiveUp


@dataclass(slots=True)
class Outputs:
    """Shared by all sessions of a gateway."""

    replies: ReplyBuffer = field(default_factory=ReplyBuffer)
    woken: set[Stream] = field(default_factory=set)  # which may have a message to write
    commands: list[Command] = field(default_factory=list)
    decisions_sent: int = 0
    notices_dropped: int = 0
    problems: Counter[str] = field(default_factory=Counter)  # by code
    overloaded: bool = False  # most bots ran out of time on a busy machine
    late_by: float = -inf  # answers to decisions whose clocks ran out by then are late

"""One stream to a bot: its queue and its end. Times are monotonic seconds."""

from collections import deque
from dataclasses import dataclass

from arena.base.instant import overlap
from arena.protocol.v1.play_pb2 import ArenaMessage, Closed
from arena.service.gateway.limits import MOST_DUE, MOST_QUEUED, READ_WITHIN_S
from arena.service.gateway.sessions.outputs import Outputs

UNREAD = (
    "The bot did not read messages for {:g} s, although it had no open decision. Connect again,"
    " and read the stream without pauses."
)
UNREAD_BY_HOST = (
    "The host did not read messages for {:g} s. Connect again, and read the stream without pauses."
)
UNREAD_DECISION = (
    "The bot left a decision unread for the whole time of its move, although it had fewer than"
    " max_in_flight. Connect again, and read the stream without pauses."
)


@dataclass(frozen=True, slots=True)
class Login:
    """The login of a program as a player. If it `names_version`, it stays that player when the bot
    gets a newer version. `host_of` is the bot and version that a host calls for."""

    player: int
    token: str
    names_version: bool = False
    host_of: str = ""
    author: int = 0  # the account that owns the bot; 0 if none does

    @property
    def limited_as(self) -> str:
        """The key of limits: the token, and for hosts also the version."""
        return of_host(self.token, self.host_of) if self.host_of else self.token


def of_host(token: str, host_of: str) -> str:
    """Return the key of limits of a host's version."""
    return f"{token} {host_of}"


class Stream:
    """The outgoing messages of a stream, which are written in order, one at a time."""

    def __init__(self, login: Login, outputs: Outputs) -> None:
        self.login = login
        self.closed = False  # queued messages are still sent, then the stream ends
        self._outputs = outputs
        self._queue: deque[ArenaMessage] = deque()
        self._unread_since: float | None = None  # when the current write started
        self._due = 0  # decisions written minus choices received

    def wake(self) -> None:
        """There may be a message to write."""
        self._outputs.woken.add(self)

    def send(self, message: ArenaMessage) -> None:
        """Queue a message, which is sent before further decisions."""
        if not self.closed and len(self._queue) < MOST_QUEUED:
            self._queue.append(message)
            self.wake()

    def close(self, reason: str, *, reconnect: bool) -> None:
        """End the stream, with a reason and whether the bot may reconnect."""
        if not self.closed:
            self._queue.append(ArenaMessage(closed=Closed(reason=reason, reconnect=reconnect)))
            self.closed = True
            self.wake()

    def next_queued(self) -> bytes | None:
        """Take out the next queued message, encoded."""
        return self._queue.popleft().SerializeToString() if self._queue else None

    def asked(self, decisions: int) -> None:
        """Count decisions written to the bot."""
        self._due = min(self._due + decisions, MOST_DUE)

    def received(self, choices: int) -> int:
        """Count choices received. Return how many exceed the decisions written."""
        self._due -= choices
        excess = max(0, -self._due)
        self._due += excess
        return excess

    @property
    def blocked(self) -> bool:
        """Whether a write waits for the bot to read."""
        return self._unread_since is not None

    def write_started(self, now: float) -> None:
        """A write has started, which lasts until the bot has read earlier messages."""
        self._unread_since = now

    def write_finished(self) -> None:
        self._unread_since = None

    def forgive(self, since: float, until: float) -> None:
        """Do not count this time: nothing was written."""
        if self._unread_since is not None:
            self._unread_since += overlap(self._unread_since, since, until)

    def check_unread(self, now: float, *, thinking: bool, sentence: str = UNREAD) -> None:
        """Close the stream with this sentence if the bot does not read it. A bot that is `thinking`
        about decisions need not read."""
        if self._unread_since is None or now - self._unread_since < READ_WITHIN_S:
            return
        if thinking:
            self._unread_since = now
        else:
            self.close(sentence.format(READ_WITHIN_S), reconnect=True)

"""One stream to a bot: what is queued on it, and how it ends. Times are monotonic seconds."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from arena.base.instant import overlap
from arena.protocol.v1.play_pb2 import ArenaMessage, Closed
from arena.service.gateway.limits import MOST_DUE, MOST_QUEUED, READ_WITHIN_S
from arena.service.gateway.sessions.outputs import Outputs

UNREAD = (
    "The bot did not read what the arena sent for {:g} s though it had no question to think"
    " about: read the stream to its end. Connect again."
)
UNREAD_BY_HOST = (
    "The host did not read what the arena sent for {:g} s: read the stream to its end. Connect"
    " again."
)
UNREAD_DECISION = (
    "The bot left decisions unread for the whole time it has for a move, though fewer than its"
    " max_in_flight were out: read the stream to its end. Connect again."
)


@dataclass(frozen=True, slots=True)
class Login:
    """What a program came in with, as which player. If it `names_version`, it stays that player
    when the bot gets a newer version. A host says which bot and version it calls for, `host_of`."""

    player: int
    token: str
    names_version: bool = False
    host_of: str = ""
    author: int = 0  # the account that owns the bot; 0 if none does

    @property
    def limited_as(self) -> str:
        """By what limits count: a bot's token; a host's for each version by itself."""
        return of_host(self.token, self.host_of) if self.host_of else self.token


def of_host(token: str, host_of: str) -> str:
    """By what limits count what a host does for one version."""
    return f"{token} {host_of}"


class Stream:
    """The way out to a bot. Messages leave in order, one at a time."""

    def __init__(self, login: Login, outputs: Outputs) -> None:
        self.login = login
        self.closed = False  # what is queued still leaves, then the stream ends
        self._outputs = outputs
        self._queue: deque[ArenaMessage] = deque()
        self._unread_since: float | None = None  # since a message is being written
        self._due = 0  # decisions written here, less the choices that came

    def wake(self) -> None:
        """There may be a message to write."""
        self._outputs.woken.add(self)

    def send(self, message: ArenaMessage) -> None:
        """Queues a message, which leaves before any further decisions."""
        if not self.closed and len(self._queue) < MOST_QUEUED:
            self._queue.append(message)
            self.wake()

    def close(self, reason: str, *, reconnect: bool) -> None:
        """Ends the stream; the bot learns why, and whether to connect again."""
        if not self.closed:
            self._queue.append(ArenaMessage(closed=Closed(reason=reason, reconnect=reconnect)))
            self.closed = True
            self.wake()

    def next_queued(self) -> bytes | None:
        """Takes out the next queued message, encoded."""
        return self._queue.popleft().SerializeToString() if self._queue else None

    def asked(self, decisions: int) -> None:
        """So many decisions are written to the bot."""
        self._due = min(self._due + decisions, MOST_DUE)

    def received(self, choices: int) -> int:
        """So many choices came; how many of them go beyond the decisions written here."""
        self._due -= choices
        excess = max(0, -self._due)
        self._due += excess
        return excess

    @property
    def blocked(self) -> bool:
        """Whether a message is being written that the bot has no room for."""
        return self._unread_since is not None

    def write_started(self, now: float) -> None:
        """A message is being written, which takes until the bot has read what came before."""
        self._unread_since = now

    def write_finished(self) -> None:
        """The message is written."""
        self._unread_since = None

    def forgive(self, since: float, until: float) -> None:
        """In this time nothing was written, whatever the bot read."""
        if self._unread_since is not None:
            self._unread_since += overlap(self._unread_since, since, until)

    def check_unread(self, now: float, *, thinking: bool, sentence: str = UNREAD) -> None:
        """Closes the stream with this sentence if the bot does not read it. A bot that is
        `thinking` about decisions may do so for as long as it is given before it reads on."""
        if self._unread_since is None or now - self._unread_since < READ_WITHIN_S:
            return
        if thinking:
            self._unread_since = now
        else:
            self.close(sentence.format(READ_WITHIN_S), reconnect=True)

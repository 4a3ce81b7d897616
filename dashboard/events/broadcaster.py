"""Checks for changes once a second for all listeners, while there are any."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import structlog

from arena.base.errors import ArenaError

log = structlog.get_logger(__name__)

# Streams of one process. Each occupies a thread, so the server needs clearly more threads.
STREAMS = 128
LOOK_EVERY_S = 1.0
STOP_S = 3.0  # for the last check when stopping

Marks = dict[str, str]


class NoRoom(Exception):
    """The limit of streams is reached."""


class NoRoomForClient(NoRoom):
    """The limit of streams of one client is reached."""


class Listener:
    """One stream with its unsent changes. Created by `Broadcaster.listen`."""

    def __init__(
        self, broadcaster: Broadcaster, topics: Sequence[str], clients: Iterable[str]
    ) -> None:
        self.topics = tuple(topics)
        self.clients = tuple(clients)
        self.sent: Marks = {}
        self.news: Marks = {}
        self._broadcaster = broadcaster

    def wait(self, seconds: float) -> Marks | None:
        """Return changed marks as soon as there are any; empty after `seconds` without changes.
        Returns None when the broadcaster stops. Slow listeners only get the newest marks."""
        return self._broadcaster.wait(self, seconds)

    def close(self) -> None:
        """Stop listening; closing twice is allowed."""
        self._broadcaster.leave(self)


class Broadcaster:
    """Reports changed marks to the listeners of one process. Thread-safe."""

    def __init__(self, look: Callable[[Iterable[str]], Marks], most: int = STREAMS) -> None:
        """`look` returns the current marks of topics; it may raise ArenaErrors."""
        self._look = look
        self._most = most
        self._listeners: set[Listener] = set()
        self._of_client = Counter[str]()
        self._changed = threading.Condition()
        self._hurry = threading.Event()  # a new listener needs the current marks
        self._looking = False
        self._thread: threading.Thread | None = None  # the last one that checked
        self._over = False

    def listen(self, topics: Sequence[str], clients: Mapping[str, int] | None = None) -> Listener:
        """Return a new listener, which first gets the current marks of all its topics.

        `clients` are the keys it is counted for, such as an account, with their limits. Raises
        NoRoom, NoRoomForClient.
        """
        with self._changed:
            self._check_room(clients or {})
            listener = Listener(self, topics, clients or ())
            self._listeners.add(listener)
            self._of_client.update(listener.clients)
            if not self._looking:
                self._looking = True
                self._thread = threading.Thread(target=self._run, name="events", daemon=True)
                self._thread.start()
        self._hurry.set()
        return listener

    def leave(self, listener: Listener) -> None:
        with self._changed:
            if listener not in self._listeners:
                return
            self._listeners.remove(listener)
            self._of_client -= Counter(listener.clients)  # drops clients without listeners
            if not self._listeners:
                self._hurry.set()

    def stop(self) -> None:
        """End all streams, and wait for a check in progress, which uses the database."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
        self._hurry.set()
        if self._thread is not None:
            self._thread.join(STOP_S)

    def wait(self, listener: Listener, seconds: float) -> Marks | None:
        with self._changed:
            self._changed.wait_for(lambda: self._over or listener.news, seconds)
            news, listener.news = listener.news, {}
            return None if self._over else news

    @property
    def listeners(self) -> int:
        return len(self._listeners)

    def _check_room(self, clients: Mapping[str, int]) -> None:
        if any(self._of_client[client] >= most for client, most in clients.items()):
            raise NoRoomForClient
        if self._over or len(self._listeners) >= self._most:
            raise NoRoom

    def _run(self) -> None:
        while topics := self._wanted():
            began = time.monotonic()
            try:
                self._notify(self._look(topics))
            except ArenaError as error:
                log.warning("cannot look for news", error=str(error))
            except Exception:
                log.exception("looking for news broke")
            self._hurry.wait(max(0.0, began + LOOK_EVERY_S - time.monotonic()))

    def _wanted(self) -> set[str]:
        """Return the topics of all listeners; without any, checking stops."""
        with self._changed:
            self._hurry.clear()
            self._looking = bool(self._listeners) and not self._over
            if not self._looking:
                return set()
            return {topic for listener in self._listeners for topic in listener.topics}

    def _notify(self, marks: Marks) -> None:
        with self._changed:
            for listener in self._listeners:
                for topic in listener.topics:
                    mark = marks.get(topic)
                    if mark is not None and listener.sent.get(topic) != mark:
                        listener.sent[topic] = listener.news[topic] = mark
            self._changed.notify_all()

"""Waitress, with limits for strangers: it reads each request completely before a thread serves it.

So half-sent requests and silent connections cost no thread. What they do cost is bounded here: how
many connections one address has, how long a request may take to arrive, and how large it may be.
"""

from __future__ import annotations

import io
import logging
import socket
import sys
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.receiver import FixedStreamReceiver
from waitress.server import TcpWSGIServer
from waitress.utilities import RequestEntityTooLarge

from arena.base import liveness
from arena.base.addresses import limit_key
from arena.service.health import open_files

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

MOST_HEADERS = 16 * 1024  # bytes, together with the address
HEADERS_WITHIN_S = 10.0
FORM_WITHIN_S = 20.0
UPLOAD_WITHIN_S = 120.0
IDLE_S = 10.0  # between the requests of one connection
UNREAD_S = 60.0  # how long a client may read nothing of its answer
IN_MEMORY = 64 * 1024  # bytes of a request's body; the rest waits in a temporary file
CONNECTIONS = open_files.DASHBOARD_CONNECTIONS
BACKLOG = 1024  # connections that wait to be taken
CONNECTIONS_OF_PERSON = 8  # so many times those who may sit behind one address
STREAM = "/events"
STOP_S = 1  # how long requests may take to end when the dashboard stops

REFUSAL = (
    b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain\r\nRetry-After: 10\r\n"
    b"Connection: close\r\n\r\n"
    b"Your address has too many connections open. Close some, then try again.\n"
)


class BodyLimit(NamedTuple):
    """What the body of a request may have: so many bytes, which arrive within so many seconds."""

    size: int
    seconds: float


class Dropped(io.BytesIO):
    """Where the body of a request goes that is larger than it may be: nowhere. It is received all
    the same, so that the client gets to read the refusal."""

    def append(self, data: bytes) -> None:
        """Forgets some bytes."""

    def getfile(self) -> io.BytesIO:
        """What the application reads: nothing."""
        return self

    def __len__(self) -> int:
        return 0


class Request(HTTPRequestParser):  # type: ignore[misc]
    """A request that arrives."""

    def __init__(self, adjustments: Adjustments, limit: Callable[[Request], BodyLimit]) -> None:
        """`limit` is asked once the headers are known."""
        super().__init__(adjustments)
        self._limit = limit
        self._most = 0
        self.counted = False  # whether it takes one of the turns of its address
        self.due = time.monotonic() + HEADERS_WITHIN_S

    def parse_header(self, header_plus: bytes) -> None:
        """Reads the headers, and decides what the body may be."""
        super().parse_header(header_plus)
        self._most, seconds = self._limit(self)
        self.due = time.monotonic() + seconds
        if self.content_length > self._most:
            self.body_rcv = FixedStreamReceiver(self.content_length, Dropped())

    def received(self, data: bytes) -> int:
        """Takes some bytes; gives how many of them belong to this request."""
        taken: int = super().received(data)
        if self.chunked and self.body_bytes_received > self._most:
            self.error = RequestEntityTooLarge(f"The body is larger than {self._most} bytes.")
            self.completed = True
        return taken


class Connection(HTTPChannel):  # type: ignore[misc]
    """A connection of a client."""

    def __init__(self, server: HttpServer, sock: socket.socket, address: Any, *rest: Any, map: Any):
        self.parser_class = partial(Request, limit=server.limit)
        self.client = limit_key(address[0])
        super().__init__(server, sock, address, *rest, map=map)

    def service(self) -> None:
        """Serves one request, in a thread."""
        counted = self.requests[0].counted
        try:
            super().service()
        finally:
            if counted:
                self.server.turns.end(self.client)

    def is_overdue(self) -> bool:
        """Whether the client keeps us waiting: with a request, with nothing, or by not reading."""
        silent_s: float = time.time() - self.last_activity
        if self.total_outbufs_len:
            return silent_s > UNREAD_S
        if self.requests:
            return False
        if self.request is None:
            return silent_s > IDLE_S
        return bool(time.monotonic() > self.request.due)


class Turns:
    """Which requests are served: of one address only so many at a time, so that the others wait
    for each other and not for whoever sends most. Threads use it side by side."""

    def __init__(self, at_once: int, serve: Callable[[Connection], None]) -> None:
        """`serve` hands a connection, whose next request has come, to a thread."""
        self._at_once = at_once
        self._serve = serve
        self._lock = threading.Lock()
        self._served = Counter[str]()
        self._waiting = defaultdict[str, deque[Connection]](deque)

    def take(self, connection: Connection) -> None:
        """Serves its next request now, or when it is its turn."""
        with self._lock:
            waits = self._served[connection.client] >= self._at_once
            if waits:
                self._waiting[connection.client].append(connection)
            else:
                self._served[connection.client] += 1
        if not waits:
            self._serve(connection)

    def end(self, client: str) -> None:
        """A request of this address has been served."""
        following = None
        with self._lock:
            if self._waiting[client]:
                following = self._waiting[client].popleft()
            else:
                self._served -= Counter((client,))
                del self._waiting[client]
        if following is not None:
            self._serve(following)


class HttpServer(TcpWSGIServer):  # type: ignore[misc]
    """Serves an application."""

    channel_class = Connection

    def __init__(
        self,
        app: WSGIApplication,
        listener: socket.socket,
        *,
        threads: int,
        at_once: int,
        people: int,
        limit: Callable[[Request], BodyLimit],
    ) -> None:
        """Of one address `at_once` requests are served at a time, besides streams of events.
        `people` may share one address; 0 where all come from a proxy that is trusted."""
        self.limit = limit
        self.turns = Turns(at_once if people else threads, super().add_task)
        self._of_client = people * CONNECTIONS_OF_PERSON or CONNECTIONS
        files = open_files.limit()
        self._most = min(CONNECTIONS, files - min(open_files.SPARE_FILES, files // 2))
        self._stopping = False
        self._came = False  # whether a connection waited to be taken
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # it warns of each wait
        super().__init__(
            app,
            map={},
            _sock=listener,
            bind_socket=False,
            sockinfo=(listener.family, listener.type, listener.proto, listener.getsockname()),
            threads=threads,
            ident=None,
            clear_untrusted_proxy_headers=bool(people),
            max_request_header_size=MOST_HEADERS,
            max_request_body_size=sys.maxsize,  # see Request
            inbuf_overflow=IN_MEMORY,
            connection_limit=sys.maxsize,  # see accept
            backlog=BACKLOG,
            cleanup_interval=1,
        )

    def run(self) -> None:
        """Serves until `stop`, then lets requests end for a moment."""
        while not self._stopping:
            wasyncore.loop(timeout=1.0, use_poll=True, map=self._map, count=1)
        self.task_dispatcher.shutdown(timeout=STOP_S)
        wasyncore.close_all(self._map)

    def stop(self) -> None:
        """Makes `run` return within a second, usually at once. For signal handlers and other
        threads, any number of times."""
        if not self._stopping:
            self.pull_trigger()  # before the flag: `run` closes the trigger once it sees that
            self._stopping = True

    def add_task(self, connection: Connection) -> None:
        """Has a request served that has arrived. A stream only waits for news."""
        request = connection.requests[0]
        request.counted = getattr(request, "path", "") != STREAM  # none if it is malformed
        if request.counted:
            self.turns.take(connection)
        else:
            super().add_task(connection)

    def handle_accept(self) -> None:
        """Takes all connections that have come, so that a crowd does not fill the queue."""
        for _ in range(BACKLOG):
            self._came = False
            super().handle_accept()
            if not self._came:
                break

    def accept(self) -> tuple[socket.socket, Any] | None:
        """The next connection, if it is not one too many."""
        taken: tuple[socket.socket, Any] | None = super().accept()
        self._came = taken is not None
        if taken is None or self._has_room(limit_key(taken[1][0])):
            return taken
        with suppress(OSError):
            taken[0].send(REFUSAL)
        taken[0].close()
        return None

    def maintenance(self, now: float) -> None:
        """Called every second: closes what is overdue."""
        liveness.alive()
        for connection in list(self.active_channels.values()):
            if connection.is_overdue():
                connection.handle_close()

    def _has_room(self, client: str) -> bool:
        """Makes room where there is none, by closing what has waited longest for its client: of
        those of the same address, if it has too many."""
        everybody = self.active_channels.values()
        own = [each for each in everybody if each.client == client]
        full = own if len(own) >= self._of_client else everybody
        if full is everybody and len(everybody) < self._most:
            return True
        waiting = [each for each in full if not each.requests]
        if waiting:
            min(waiting, key=lambda each: each.last_activity).handle_close()
        return bool(waiting)

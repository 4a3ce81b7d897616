"""Waitress with limits for untrusted clients.

Waitress reads each request completely before a thread serves it, so slow clients occupy no thread.
This module limits the connections per address, and the time and size of requests.
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
from arena.service.health import at_start

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

MOST_HEADERS = 16 * 1024  # bytes, including the request line
HEADERS_WITHIN_S = 10.0
FORM_WITHIN_S = 20.0
UPLOAD_WITHIN_S = 120.0
IDLE_S = 10.0  # between the requests of a connection
UNREAD_S = 60.0  # in which a client reads nothing of its response
IN_MEMORY = 64 * 1024  # bytes of a request's body; larger ones go to a temporary file
CONNECTIONS = at_start.DASHBOARD_CONNECTIONS
BACKLOG = 1024  # connections waiting to be accepted
CONNECTIONS_OF_PERSON = 8  # times the number of people behind one address
STREAM = "/events"
STOP_S = 1  # for requests to end when the dashboard stops

REFUSAL = (
    b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain\r\nRetry-After: 10\r\n"
    b"Connection: close\r\n\r\n"
    b"Your address has too many connections open. Close some, then try again.\n"
)


class BodyLimit(NamedTuple):
    """The limits of a request's body: bytes, and seconds to arrive."""

    size: int
    seconds: float


class Dropped(io.BytesIO):
    """Discards a body that is too large. It is still received, so that the client reads the
    error response."""

    def append(self, data: bytes) -> None:
        """Discard some bytes."""

    def getfile(self) -> io.BytesIO:
        return self

    def __len__(self) -> int:
        return 0


class Request(HTTPRequestParser):  # type: ignore[misc]
    """A request while it is received."""

    def __init__(self, adjustments: Adjustments, limit: Callable[[Request], BodyLimit]) -> None:
        """`limit` is called when the headers are known."""
        super().__init__(adjustments)
        self._limit = limit
        self._most = 0
        self.counted = False  # whether it counts towards its address's parallel requests
        self.due = time.monotonic() + HEADERS_WITHIN_S

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        self._most, seconds = self._limit(self)
        self.due = time.monotonic() + seconds
        if self.content_length > self._most:
            self.body_rcv = FixedStreamReceiver(self.content_length, Dropped())

    def received(self, data: bytes) -> int:
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
        counted = self.requests[0].counted
        try:
            super().service()
        finally:
            if counted:
                self.server.turns.end(self.client)

    def is_overdue(self) -> bool:
        """Whether the client is too slow to send a request or to read its response."""
        silent_s: float = time.time() - self.last_activity
        if self.total_outbufs_len:
            return silent_s > UNREAD_S
        if self.requests:
            return False
        if self.request is None:
            return silent_s > IDLE_S
        return bool(time.monotonic() > self.request.due)


class AddressTurns:
    """Limits the parallel requests of each address, so that one cannot block the others.
    Thread-safe."""

    def __init__(self, at_once: int, serve: Callable[[Connection], None]) -> None:
        """`serve` passes a connection with a complete request to a thread."""
        self._at_once = at_once
        self._serve = serve
        self._lock = threading.Lock()
        self._served = Counter[str]()
        self._waiting = defaultdict[str, deque[Connection]](deque)

    def take(self, connection: Connection) -> None:
        """Serve the connection's next request, now or when its address has a free slot."""
        with self._lock:
            waits = self._served[connection.client] >= self._at_once
            if waits:
                self._waiting[connection.client].append(connection)
            else:
                self._served[connection.client] += 1
        if not waits:
            self._serve(connection)

    def end(self, client: str) -> None:
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
        """Serve `at_once` requests per address in parallel, in addition to event streams. `people`
        may share one address; 0 if all requests come from a trusted proxy."""
        self.limit = limit
        self.turns = AddressTurns(at_once if people else threads, super().add_task)
        self._of_client = people * CONNECTIONS_OF_PERSON or CONNECTIONS
        files = at_start.open_file_limit()
        self._most = min(CONNECTIONS, files - min(at_start.SPARE_FILES, files // 2))
        self._stopping = False
        self._came = False  # whether a connection was waiting
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
        """Serve until `stop`, then give requests a moment to finish."""
        while not self._stopping:
            wasyncore.loop(timeout=1.0, use_poll=True, map=self._map, count=1)
        self.task_dispatcher.shutdown(timeout=STOP_S)
        wasyncore.close_all(self._map)

    def stop(self) -> None:
        """Make `run` return within a second. Can be called repeatedly, by signal handlers and
        threads."""
        if not self._stopping:
            self.pull_trigger()  # before the flag: `run` closes the trigger once it sees that
            self._stopping = True

    def add_task(self, connection: Connection) -> None:
        """Serve a complete request. Event streams do not count, because they only wait."""
        request = connection.requests[0]
        request.counted = getattr(request, "path", "") != STREAM  # malformed ones have no path
        if request.counted:
            self.turns.take(connection)
        else:
            super().add_task(connection)

    def handle_accept(self) -> None:
        """Accept all waiting connections, so that the backlog does not fill up."""
        for _ in range(BACKLOG):
            self._came = False
            super().handle_accept()
            if not self._came:
                break

    def accept(self) -> tuple[socket.socket, Any] | None:
        """Return the next connection, unless a limit is reached."""
        taken: tuple[socket.socket, Any] | None = super().accept()
        self._came = taken is not None
        if taken is None or self._has_room(limit_key(taken[1][0])):
            return taken
        with suppress(OSError):
            taken[0].send(REFUSAL)
        taken[0].close()
        return None

    def maintenance(self, now: float) -> None:
        """Close overdue connections. Called every second."""
        liveness.alive()
        for connection in list(self.active_channels.values()):
            if connection.is_overdue():
                connection.handle_close()

    def _has_room(self, client: str) -> bool:
        """Make room for a connection by closing the one that has waited longest for its client. If
        the address has too many connections, one of them is closed."""
        everybody = self.active_channels.values()
        own = [each for each in everybody if each.client == client]
        full = own if len(own) >= self._of_client else everybody
        if full is everybody and len(everybody) < self._most:
            return True
        waiting = [each for each in full if not each.requests]
        if waiting:
            min(waiting, key=lambda each: each.last_activity).handle_close()
        return bool(waiting)

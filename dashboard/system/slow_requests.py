"""Ends requests that are too slow to arrive: each keeps a thread of gunicorn's from the others."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

HEADERS_WITHIN_S = 10.0
FORM_WITHIN_S = 20.0  # until a request with a body is answered, too


class PunctualWorker(ThreadWorker):  # type: ignore[misc]
    """Gunicorn's threads, which wait for a request only so long."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._due: dict[Any, float] = {}  # by connection: when its request must have come

    def handle(self, conn: Any) -> Any:
        """Reads a request and answers it, in a thread."""
        self._due[conn] = time.monotonic() + HEADERS_WITHIN_S
        try:
            return super().handle(conn)
        finally:
            self._due.pop(conn, None)

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answers a request whose headers have come."""
        names = {name for name, _ in req.headers}
        if names & {"CONTENT-LENGTH", "TRANSFER-ENCODING"}:
            self._due[conn] = time.monotonic() + FORM_WITHIN_S
        else:
            self._due.pop(conn, None)
        return super().handle_request(req, conn)

    def murder_pending(self) -> None:
        """Called every second: also closes what is overdue, as if the client had hung up."""
        super().murder_pending()
        now = time.monotonic()
        for conn, due in list(self._due.items()):
            if now >= due:
                with suppress(OSError):
                    conn.sock.shutdown(socket.SHUT_RDWR)

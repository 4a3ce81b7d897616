"""Serves the matches of a file on this machine."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable

from werkzeug.serving import make_server

from arena.base.errors import Unavailable
from dashboard.replay_alone.app import create_replay_app
from dashboard.replay_alone.records import RecordFile

HOST = "127.0.0.1"


def serve(records: RecordFile, port: int, ready: Callable[[str], object]) -> None:
    """Serve until Ctrl-C. Port 0 is any free one; `ready` gets the address (http://...).

    Raises Unavailable if the port is taken.
    """
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # not a line for each request
    try:
        listening = socket.create_server((HOST, port))
    except OSError as error:
        raise Unavailable(
            f"Cannot listen on {HOST}:{port} ({error.strerror}). Choose another --port, or omit it "
            "to use any free one."
        ) from None
    app = create_replay_app(records)
    with listening, make_server(HOST, port, app, threaded=True, fd=listening.fileno()) as server:
        ready(f"http://{HOST}:{listening.getsockname()[1]}/")
        server.serve_forever()

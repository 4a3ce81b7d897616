"""A dashboard at an address of its own, for a browser to look at."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask
from werkzeug.serving import make_server

from dashboard.events.part import broadcaster


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """Serves it from a thread, and gives its address."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        broadcaster(app).stop()
        server.shutdown()
        thread.join()
        server.server_close()

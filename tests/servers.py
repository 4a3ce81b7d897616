"""Servers for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arena.operations.embedded import embedded_redis
from arena.service.live.connect import connect
from tests import leftovers


@contextmanager
def redis_server() -> Iterator[str]:
    """An empty Redis; its URL. It ends with this process at the latest."""
    with embedded_redis() as url:
        with connect(url) as client:
            leftovers.tell_of(client.info("server")["process_id"])
        yield url

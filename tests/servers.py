"""Servers for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import redis

from arena.operations.embedded import embedded_redis
from arena.service.live.connect import connect, impatient
from tests import leftovers


def no_redis(url: str = "redis://127.0.0.1:1/0") -> redis.Redis:
    """A client as the dashboard has it, of a Redis that is away."""
    return impatient(url)


@contextmanager
def redis_server() -> Iterator[str]:
    """An empty Redis; its URL. It ends with this process at the latest."""
    with embedded_redis() as url:
        with connect(url) as client:
            leftovers.tell_of(client.info("server")["process_id"])
        yield url

"""Servers for tests."""

import secrets
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import redis

from arena.base.errors import Unavailable
from arena.operations import embedded
from arena.service.live.connect import connect, impatient
from tests import leftovers

START_LIMIT_S = 10.0


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


def free_port() -> int:
    """Return a loopback TCP port that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def embedded_redis(more: bytes = b"") -> Iterator[str]:
    """Run a server with `more` lines of configuration as a child process for the duration of the
    block and yield its URL.

    Raises Unavailable when there is no binary or the server does not start.
    """
    port, password = free_port(), secrets.token_urlsafe(24)
    process = start(embedded.redis_config(port, password) + more)
    try:
        wait_until_ready(process, port, password)
        yield embedded.redis_url(port, password)
    finally:
        process.terminate()
        process.wait(START_LIMIT_S)


def start(config: bytes) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        embedded.redis_command(embedded.redis_binary()),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    process.stdin.write(config)
    process.stdin.close()
    return process


def wait_until_ready(process: subprocess.Popen[bytes], port: int, password: str) -> None:
    limit = time.monotonic() + START_LIMIT_S
    while not embedded.redis_answers(port, password):
        if process.poll() is not None:
            raise Unavailable(
                f"The embedded Redis server exited immediately with status {process.returncode};"
                f" is port {port} taken?"
            )
        if time.monotonic() > limit:
            raise Unavailable(
                f"The embedded Redis server did not answer within {START_LIMIT_S:.0f} s."
            )
        time.sleep(0.02)

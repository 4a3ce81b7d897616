"""The processes of an arena."""

import http.client
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path

from redis import RedisError

from arena.base.config import Settings
from arena.operations import embedded
from arena.operations.supervise.child import ChildSpec, python
from arena.service.bootstrap import environment
from arena.service.live.connect import impatient
from arena.service.live.queues import PLAY, PROMPT
from arena.service.live.vitals import vitals

PROBE_S = 1.0


def redis(port: int, password: str) -> ChildSpec:
    """The embedded Redis, which writes nothing to disk and reads its password from stdin. Raises
    Unavailable if this machine has no Redis server."""
    return ChildSpec(
        "redis",
        tuple(embedded.redis_command(embedded.redis_binary())),
        stdin=embedded.redis_config(port, password),
        ready=lambda: embedded.redis_answers(port, password),
        stops_last=True,
    )


def gateway(settings: Settings) -> ChildSpec:
    """The gRPC server for bots."""
    host, port = within_reach(settings.host), settings.port
    return _arena(settings, "gateway", ready=partial(accepts, host, port))


def worker(settings: Settings) -> ChildSpec:
    """Plays tournaments, with `workers` processes."""
    return _arena(settings, "worker", ready=partial(takes_tasks, settings.redis_url, PLAY))


def prompt_worker(settings: Settings) -> ChildSpec:
    """Does only interactive work, so that tournaments cannot delay it."""
    ready = partial(takes_tasks, settings.redis_url, PROMPT)
    return _arena(settings, "worker", "--prompt", name="prompt-worker", ready=ready)


def review_worker(settings: Settings) -> ChildSpec:
    """Computes only match reviews and luck, at a low CPU priority."""
    return _arena(settings, "worker", "--review", name="review-worker", optional=True)


def beat(settings: Settings) -> ChildSpec:
    """Schedules the periodic tasks."""
    return _arena(settings, "beat")


def dashboard(settings: Settings) -> ChildSpec:
    """The web pages."""
    host, port = within_reach(settings.host), settings.dashboard_port
    return _arena(settings, "dashboard", ready=partial(is_healthy, host, port))


def host(settings: Settings, url: str) -> ChildSpec:
    """Plays hosted bots, connected to the gateway `url`."""
    return _arena(settings, "host", "--url", url, optional=True)


def house_bot(
    name: str, url: str, token: str, tls_ca: Path | None = None, key: str = ""
) -> ChildSpec:
    """A house bot, an ordinary client. A `key` makes its random choices repeatable."""
    env = {"ARENA_URL": url, "ARENA_TOKEN": token, "ARENA_TLS_CA": str(tls_ca or "")}
    env["ARENA_BOT_KEY"] = key
    command = python("arena.bots", name)
    return ChildSpec(bot_process(name), command, env, forks=True, database=False, optional=True)


def bot_process(name: str) -> str:
    """The process name of a house bot."""
    return f"bot-{name}"


def _arena(
    settings: Settings,
    *words: str,
    name: str = "",
    ready: Callable[[], bool] | None = None,
    optional: bool = False,
) -> ChildSpec:
    """A command of `arena`; by default, the process has its name."""
    command, env = python("arena.cli", *words), environment(settings)
    return ChildSpec(name or words[0], command, env, ready=ready, forks=True, optional=optional)


def within_reach(host: str) -> str:
    """Return an address at which this machine reaches a server that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104


def accepts(host: str, port: int) -> bool:
    """Whether a server accepts connections there."""
    try:
        with socket.create_connection((host, port), PROBE_S):
            return True
    except OSError:
        return False


def takes_tasks(redis_url: str, queue: str) -> bool:
    """Whether a worker takes tasks from a queue."""
    with impatient(redis_url) as client:
        try:
            return vitals(client).workers[queue] > 0
        except RedisError:
            return False


def is_healthy(host: str, port: int) -> bool:
    """Whether /healthz answers 200."""
    connection = http.client.HTTPConnection(host, port, timeout=PROBE_S)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()

"""A whole arena on this machine: Redis, gateway, workers, scheduler, dashboard."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from arena.base import folder
from arena.base.config import Settings
from arena.operations import embedded
from arena.operations.supervise import ports, stack
from arena.operations.supervise.child import ChildSpec
from arena.operations.supervise.fork import can_fork, preload
from arena.operations.supervise.supervisor import Supervisor
from arena.sdk.address import root_certificates
from arena.service.bootstrap import operator
from arena.service.health import storage
from arena.service.live.connect import connect
from arena.store import open_store, upgrade_store


@dataclass(frozen=True)
class Machine:
    """A running arena: its processes, its settings, its addresses."""

    supervisor: Supervisor
    settings: Settings
    running: folder.Running


@contextmanager
def machine(
    settings: Settings, tell: Callable[[str], None], lock: int, *, give_up_after: int | None = None
) -> Iterator[Machine]:
    """Run an arena for the duration of the block. `lock` is the descriptor of `folder.lock`.

    An explicitly set port must be free; a default port that is in use is replaced by a free one.
    Redis is embedded unless set. The database in the data folder is upgraded; a named one must be
    up to date. Raises Unavailable if a part cannot be started, InvalidRequest for unusable
    settings, and Interrupted on Ctrl-C.
    """
    if settings.tls_ca:
        root_certificates(settings.tls_ca)  # fail here, not once in each bot's log
    storage.require(*storage.check_storage(settings))
    own_folder = not settings.database_url
    with ports.Claims() as claims:
        settings, redis = complete(settings, claims)
        running = announcement(settings)
        logs = folder.logs(settings.data)
        supervised = Supervisor(
            logs,
            tell,
            give_up_after=give_up_after,
            keep_open=[lock],
            problem=lambda: storage.problem(storage.check_storage(settings)),
        )
        with supervised as supervisor:
            # First, so that the processes find it ready or the user sees a clear message. A named
            # database may serve other releases too, so only `arena db upgrade` upgrades it.
            if own_folder:
                upgrade_store(
                    settings.database, operator(), archive=settings.archive_folder
                ).dispose()
            else:
                open_store(settings.database).dispose()
            start_all(supervisor, settings, redis)
            folder.announce(settings.data, running)
            try:
                yield Machine(supervisor, settings, running)
            finally:
                folder.retract(settings.data)


def complete(settings: Settings, claims: ports.Claims) -> tuple[Settings, ChildSpec | None]:
    """Return the settings with all ports chosen, and the Redis to embed, if any."""
    explicit, host = settings.model_fields_set, settings.host
    port = claims.choose(host, settings.port, "gateway", insist="port" in explicit)
    dashboard_port = claims.choose(
        host, settings.dashboard_port, "dashboard", insist="dashboard_port" in explicit
    )
    decided = {
        "data": settings.data.resolve(),
        "liveness_file": None,  # one file cannot serve several processes
        "database_url": settings.database,
        "port": port,
        "dashboard_port": dashboard_port,
        "admin_token": settings.admin_token or secrets.token_urlsafe(24),
        "secret_key": settings.secret_key or folder.kept_key(settings.data),
    }
    if "redis_url" in explicit:
        connect(settings.redis_url).close()
        return settings.model_copy(update=decided), None
    redis_port = claims.choose("127.0.0.1", 0, "Redis")
    password = secrets.token_urlsafe(24)
    decided["redis_url"] = embedded.redis_url(redis_port, password)
    return settings.model_copy(update=decided), stack.redis(redis_port, password)


def announcement(settings: Settings) -> folder.Running:
    """Return the contents of DATA/arena.json for these settings."""
    host = stack.within_reach(settings.host)
    place = f"[{host}]" if ":" in host else host
    return folder.Running(
        pid=os.getpid(),
        gateway=_gateway(settings, f"{place}:{settings.port}"),
        dashboard=f"http://{place}:{settings.dashboard_port}",
        database_url=settings.database_url,
        redis_url=settings.redis_url,
        admin_token=settings.admin_token,
    )


def _gateway(settings: Settings, place: str) -> str:
    """Return the gateway for bots on this machine: with TLS, the name in the certificate."""
    if not settings.tls_cert:
        return place
    url = settings.gateway_url or place
    return url if "://" in url else f"grpcs://{url}"


def start_all(supervisor: Supervisor, settings: Settings, redis: ChildSpec | None) -> None:
    """Start Redis, then everything else. Returns when gateway and dashboard are ready."""
    if redis is not None:
        supervisor.start(redis)
    if can_fork():
        preload()
    if redis is not None:
        supervisor.await_ready("redis")
    for spec in (
        stack.gateway,
        stack.worker,
        stack.prompt_worker,
        stack.review_worker,
        stack.beat,
        stack.dashboard,
    ):
        supervisor.start(spec(settings))
    supervisor.await_ready("gateway", "dashboard")

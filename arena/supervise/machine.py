"""A whole arena on this machine: Redis, gateway, worker, beat, dashboard."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from arena import embedded
from arena.config import Settings
from arena.live.connect import connect
from arena.sdk.address import root_certificates
from arena.secret_key import kept_key
from arena.store import open_store, upgrade_store
from arena.supervise import folder, ports, stack
from arena.supervise.child import ChildSpec
from arena.supervise.supervisor import Supervisor


@dataclass(frozen=True)
class Machine:
    """The arena that runs: its processes, its settings, its addresses."""

    supervisor: Supervisor
    settings: Settings
    running: folder.Running


@contextmanager
def machine(
    settings: Settings, tell: Callable[[str], None], lock: int, *, give_up_after: int | None = None
) -> Iterator[Machine]:
    """Runs an arena for the length of the block. `lock` is the descriptor of `folder.lock`.

    Ports that were set explicitly are insisted on, others give way to free ones. A Redis that
    was set explicitly is used, else one is embedded. The database in the folder is brought up to
    date; one that was named has to be. Raises Unavailable when a part cannot be started,
    InvalidRequest for settings that cannot be used, and Interrupted on Ctrl-C.
    """
    if settings.tls_ca:
        root_certificates(settings.tls_ca)  # now, rather than six times in the logs of bots
    own_folder = not settings.database_url
    settings, redis = complete(settings)
    running = announcement(settings)
    logs = folder.logs(settings.data)
    with Supervisor(logs, tell, give_up_after=give_up_after, keep_open=[lock]) as supervisor:
        # First: the processes find it ready, or the user a clear sentence. A database that was
        # named may have other users, of another release; only `arena db upgrade` changes that.
        (upgrade_store if own_folder else open_store)(settings.database).dispose()
        start_all(supervisor, settings, redis)
        folder.announce(settings.data, running)
        try:
            yield Machine(supervisor, settings, running)
        finally:
            folder.retract(settings.data)


def complete(settings: Settings) -> tuple[Settings, ChildSpec | None]:
    """The settings with all that is still open decided, and the Redis to be embedded, if any."""
    given, host = settings.model_fields_set, settings.host
    port = ports.choose(host, settings.port, "gateway", insist="port" in given)
    dashboard_port = ports.choose(
        host,
        settings.dashboard_port,
        "dashboard",
        insist="dashboard_port" in given,
        besides=(port,),
    )
    decided = {
        "data": settings.data.resolve(),
        "database_url": settings.database,
        "port": port,
        "dashboard_port": dashboard_port,
        "admin_token": settings.admin_token or secrets.token_urlsafe(24),
        "secret_key": settings.secret_key or kept_key(settings.data),
    }
    if "redis_url" in given:
        connect(settings.redis_url).close()
        return settings.model_copy(update=decided), None
    redis_port = ports.any_free("127.0.0.1", besides=(port, dashboard_port))
    password = secrets.token_urlsafe(24)
    decided["redis_url"] = embedded.redis_url(redis_port, password)
    return settings.model_copy(update=decided), stack.redis(redis_port, password)


def announcement(settings: Settings) -> folder.Running:
    """What DATA/arena.json says of the arena with these settings."""
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
    """Where bots on this machine connect to. With TLS that is what the certificate is for."""
    if not settings.tls_cert:
        return place
    told = settings.gateway_url or place
    return told if "://" in told else f"grpcs://{told}"


def start_all(supervisor: Supervisor, settings: Settings, redis: ChildSpec | None) -> None:
    """Redis first, then everything together; returns when bots and people can come."""
    if redis is not None:
        supervisor.start(redis)
        supervisor.await_ready("redis")
    for spec in (stack.gateway, stack.worker, stack.prompt_worker, stack.beat, stack.dashboard):
        supervisor.start(spec(settings))
    supervisor.await_ready("gateway", "dashboard")

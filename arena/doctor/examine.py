"""Everything that is looked at, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from arena import folder
from arena.bootstrap import load_settings
from arena.config import Settings
from arena.doctor.asking import ask_dashboard, ask_gateway
from arena.doctor.database import examine_database
from arena.doctor.finding import Finding, wrong
from arena.doctor.jail import examine_jail
from arena.doctor.machine import (
    examine_folder,
    examine_open_files,
    examine_port,
    examine_python,
)
from arena.doctor.processes import examine_dashboard, examine_gateway, examine_workers
from arena.doctor.redis import examine_embedded, examine_redis
from arena.doctor.tls import examine_tls
from arena.doctor.variables import examine_names, examine_settings
from arena.errors import ArenaError, InvalidRequest
from arena.supervise.machine import announcement


def examine(environ: Mapping[str, str], data: Path | None = None) -> Iterator[Finding]:
    """Looks the installation through that these variables describe, and the arena in the folder
    `data`, if it runs; each finding as soon as it is there. Raises nothing."""
    yield examine_python()
    yield from examine_names(environ)
    try:
        settings = load_settings(data=data)
    except InvalidRequest as error:
        yield wrong("settings", str(error), "Correct it; nothing more can be looked at before.")
        return
    yield from examine_settings(settings)
    yield from examine_tls(settings)
    yield from examine_folder(settings.data)
    yield examine_open_files(settings)
    yield examine_jail()
    try:
        running = folder.find_running(settings.data)
    except ArenaError as error:
        yield wrong("data folder", str(error), "Start the arena again.")
        running = None
    except OSError as error:
        yield wrong(
            "data folder",
            f"{settings.data} cannot be read ({error.strerror}).",
            "Run this as the user that the arena runs as.",
        )
        running = None
    if running:
        update = {"database_url": running.database_url, "redis_url": running.redis_url}
        settings = settings.model_copy(update=update)
    yield from examine_database(settings)
    yield from _redis_and_processes(settings, running)


def _redis_and_processes(settings: Settings, running: folder.Running | None) -> Iterator[Finding]:
    named = running is not None or "redis_url" in settings.model_fields_set
    yield from examine_redis(settings.redis_url) if named else (examine_embedded(),)
    where = running or announcement(settings)
    gateway, dashboard = ask_gateway(where.gateway, settings.tls_ca), ask_dashboard(where.dashboard)
    if running:
        yield examine_gateway(where.gateway, gateway)
        yield examine_dashboard(where.dashboard, dashboard)
    else:
        host = settings.host
        yield examine_port(host, settings.port, "gateway", gateway)
        yield examine_port(host, settings.dashboard_port, "dashboard", dashboard)
        if gateway.there:
            yield examine_gateway(where.gateway, gateway)
        if dashboard.there:
            yield examine_dashboard(where.dashboard, dashboard)
    if named:
        yield from examine_workers(settings.redis_url)

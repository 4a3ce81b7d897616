"""All checks, in order."""

import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from arena.base import folder
from arena.base.config import Settings
from arena.base.errors import ArenaError, InvalidRequest
from arena.hosting.sandbox.kinds import check, kinds
from arena.hosting.sandbox.sandbox import Sandbox
from arena.operations.doctor.servers import (
    ask_dashboard,
    ask_gateway,
    examine_dashboard,
    examine_embedded,
    examine_gateway,
    examine_port,
    examine_redis,
)
from arena.operations.doctor.variables import examine_settings, examine_tls
from arena.operations.supervise.machine import announcement
from arena.service.bootstrap import load_settings
from arena.service.health.at_start import check_open_files, examine_names
from arena.service.health.finding import Finding, consequences, fine, unknown, wrong
from arena.service.health.state import look
from arena.service.health.storage import check_data_folder
from arena.store import Store, open_store
from arena.store.archive import catalogue, open_files
from arena.store.database_url import place
from arena.store.migrate import HEAD

OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 14)


def examine(environ: Mapping[str, str], data: Path | None = None) -> Iterator[Finding]:
    """Check the installation of these variables and the arena in the folder `data`, if it runs.
    Yields each finding as soon as it is known. Raises nothing."""
    yield examine_python()
    yield from examine_names(environ)
    try:
        settings = load_settings(data=data)
    except InvalidRequest as error:
        yield wrong("settings", str(error), "Correct it and run the command again.")
        return
    yield from examine_settings(settings)
    yield from examine_tls(settings)
    yield check_data_folder(settings.data)
    yield from check_open_files(settings)
    yield examine_sandbox()
    running = None
    try:
        running = folder.await_running(settings.data)
    except ArenaError as error:
        yield wrong("data folder", str(error), "Start the arena again.")
    except OSError as error:
        yield wrong(
            "data folder",
            f"{settings.data} cannot be read ({error.strerror}).",
            "Run this command as the user of the arena.",
        )
    if running:
        update = {"database_url": running.database_url, "redis_url": running.redis_url}
        settings = settings.model_copy(update=update)
    yield from consequences(_arena(settings, running))


def _arena(settings: Settings, running: folder.Running | None) -> Iterator[Finding]:
    """Yield the checks of `arena.service.health`, then more on services that passed."""
    runs = running is not None or "redis_url" in settings.model_fields_set
    found = [
        each
        for each in look(settings, runs=runs).findings
        if each.about not in ("arena", "data folder")
    ]
    yield from found
    right = {each.about for each in found if each.state == "fine"}
    if "database" in right:
        yield from examine_database(settings)
    if "Redis" in right:
        yield from examine_redis(settings.redis_url)
    if not runs:
        yield examine_embedded()
    yield from _ports(settings, running)


def _ports(settings: Settings, running: folder.Running | None) -> Iterator[Finding]:
    where = running or announcement(settings)
    gateway, dashboard = ask_gateway(where.gateway, settings.tls_ca), ask_dashboard(where.dashboard)
    if not running:
        yield examine_port(settings.host, settings.port, "gateway", gateway)
        yield examine_port(settings.host, settings.dashboard_port, "dashboard", dashboard)
    if running or gateway.there:
        yield examine_gateway(where.gateway, gateway)
    if running or dashboard.there:
        yield examine_dashboard(where.dashboard, dashboard)


def examine_database(settings: Settings) -> Iterator[Finding]:
    """Yield more findings on a database that answers."""
    with open_store(settings.database, archive=settings.archive_folder) as store:
        yield fine("database", f"{place(store.url)} has version {HEAD}, as this release needs.")
        yield from examine_archives(store)


def examine_archives(store: Store) -> Iterator[Finding]:
    """Check that the files of all archives exist."""
    with store.read() as conn:
        known = catalogue.every(conn)
        lost = [each.name for each in known if not open_files.is_there(conn, each)]
    if lost:
        yield wrong(
            "archives",
            f"{len(lost)} of {len(known)} are missing in {store.archive}: {', '.join(lost)}.",
            "Put copies of them there, or set ARENA_ARCHIVE to their folder.",
        )
    elif known:
        yield fine("archives", f"All {len(known)} are in {store.archive}.")


def examine_python() -> Finding:
    version = sys.version_info[:2]
    if version < OLDEST_PYTHON:
        return wrong(
            "Python",
            f"Python {platform.python_version()} is too old. The arena needs 3.11 or newer.",
            "Install lama-arena with a newer Python.",
        )
    if version > NEWEST_PYTHON:
        return unknown(
            "Python", f"The arena is not tested with Python {platform.python_version()}."
        )
    return fine("Python", f"Version {platform.python_version()} is supported.")


def examine_sandbox(
    found: Sequence[Sandbox] | None = None, attempt: Callable[[Sandbox], None] = check
) -> Finding:
    """Try the kinds of sandboxes, best first. Only machines with bot hosts need one."""
    lacks: dict[str, None] = {}  # ordered, without duplicates
    for sandbox in kinds() if found is None else found:
        try:
            attempt(sandbox)
        except (ArenaError, OSError) as error:
            lacks[f"{sandbox.name}: {error}"] = None
        else:
            why = f" Better ones do not work: {' '.join(lacks)}" if lacks else ""
            return fine(
                "sandbox", f"{sandbox.name} works, so `arena host` can play hosted bots.{why}"
            )
    return unknown("sandbox", f"None works, so `arena host` cannot start. {' '.join(lacks)}")

"""Runs a host process."""

import asyncio
import os
import signal
from contextlib import suppress

import structlog

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.hosting.hosted.judge import THREADS_EACH
from arena.hosting.sandbox.control_group import ControlGroup, Together, control_group
from arena.hosting.sandbox.sandbox import Sandbox
from arena.sdk.address import address, tls_ca
from arena.service.host.host import HostProcess
from arena.service.host.programs import memory_mb
from arena.service.live.connect import connect_async
from arena.store import open_store

log = structlog.get_logger(__name__)

# Processes and threads for each hosted process: all may use their limit, and there is room for more
# until the host ends those beyond it.
PROCESSES_EACH = 2 * THREADS_EACH


async def serve(settings: Settings, url: str, sandbox: Sandbox) -> None:
    """Host bots at the gateway `url` until SIGTERM or SIGINT. Raises ArenaError if it cannot
    start."""
    if settings.public_url:  # for links in messages to authors
        os.environ.setdefault("ARENA_DASHBOARD", settings.public_url)
    store = open_store(settings.database)
    client = await connect_async(settings.redis_url)
    group = _group(settings)
    loop, this = asyncio.get_running_loop(), asyncio.current_task()
    assert this is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, this.cancel)
    try:
        with suppress(asyncio.CancelledError):
            place = address(url, tls_ca())
            await HostProcess(store, client, settings, place, sandbox, group).run()
    finally:
        if group is not None:
            group.remove()
        await client.aclose()
        store.dispose()


def _group(settings: Settings) -> ControlGroup | None:
    """Return the control group of all sandboxes, if possible. Each process has its own limits,
    too."""
    together = Together(memory_mb(settings), PROCESSES_EACH * settings.host_processes)
    try:
        return control_group(together)
    except Unavailable as error:
        log.info("hosted bots have no control group", reason=str(error))
        return None

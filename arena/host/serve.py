"""Runs a host until it is told to end."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress

from arena.config import Settings
from arena.host.host import HostProcess
from arena.jail import Jail
from arena.live.connect import connect_async
from arena.sdk.address import address, tls_ca
from arena.store import open_store


async def serve(settings: Settings, url: str, jail: Jail) -> None:
    """Hosts bots at the gateway `url` until SIGTERM or SIGINT. Raises ArenaError if it cannot
    begin."""
    store = open_store(settings.database)
    client = await connect_async(settings.redis_url)
    loop, this = asyncio.get_running_loop(), asyncio.current_task()
    assert this is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, this.cancel)
    try:
        with suppress(asyncio.CancelledError):
            await HostProcess(store, client, settings, address(url, tls_ca()), jail).run()
    finally:
        await client.aclose()
        store.dispose()

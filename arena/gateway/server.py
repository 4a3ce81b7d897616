"""The gateway's process, from its settings to the signal that ends it."""

from __future__ import annotations

import asyncio
import signal

import redis

from arena.config import Settings
from arena.control.service import ControlService
from arena.errors import Unavailable
from arena.gateway import metrics
from arena.gateway.gateway import Gateway
from arena.live.connect import connect_async, place
from arena.store import open_store


async def serve(settings: Settings) -> None:
    """Runs a gateway until SIGTERM or SIGINT, then drains it.

    Raises Unavailable when the database, Redis or the port cannot be had, InvalidRequest for
    settings that cannot be used.
    """
    stop = _stop_signal()
    store = await asyncio.to_thread(open_store, settings.database)
    client = await connect_async(settings.redis_url)
    control = ControlService(store, settings.redis_url)
    gateway = Gateway(settings, store, client, control)
    try:
        with metrics.served(settings.host, settings.metrics_port):
            await gateway.start()
            await gateway.serve_until(stop)
            await gateway.stop()
    except redis.RedisError as error:
        raise Unavailable(f"Redis at {place(settings.redis_url)} went away ({error}).") from error
    finally:
        await gateway.close()
        control.close()
        store.dispose()
        await client.aclose()


def _stop_signal() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop

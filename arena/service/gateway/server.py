"""Runs a gateway process."""

import asyncio
import signal
from contextlib import AsyncExitStack

import redis
import structlog

from arena.base import liveness
from arena.base.config import Settings
from arena.base.errors import SchemaMismatch, Unavailable
from arena.service.control.service import ControlService
from arena.service.gateway import metrics
from arena.service.gateway.auth import ADMINISTRATOR
from arena.service.gateway.gateway import Gateway
from arena.service.health import storage
from arena.service.health.at_start import check_at_start
from arena.service.live.connect import connect_async, place
from arena.service.live.redis_error import explain
from arena.store import Store, open_store
from arena.store.engine import CHECK_S

log = structlog.get_logger(__name__)


async def serve(settings: Settings) -> None:
    """Run a gateway until SIGTERM or SIGINT, then drain it. Raises Unavailable if the database,
    Redis, the port or a temporary folder cannot be used, SchemaMismatch if the database is migrated
    to another release meanwhile, and InvalidRequest for invalid settings."""
    stop = _stop_signal()
    storage.require(storage.check_temporary_folder())
    async with AsyncExitStack() as opened:
        store = await asyncio.to_thread(
            open_store, settings.database, archive=settings.archive_folder
        )
        opened.callback(store.dispose)
        check_at_start("gateway", settings)
        client = await connect_async(settings.redis_url)
        opened.push_async_callback(client.aclose)
        control = ControlService(
            store,
            settings.redis_url,
            settings.in_flight,
            settings.bench_after,
            actor=lambda: ADMINISTRATOR,
        )
        opened.callback(control.close)
        gateway = Gateway(settings, store, client, control)
        opened.push_async_callback(gateway.close)
        migrated = asyncio.create_task(_until_migrated(store, stop))
        opened.callback(migrated.cancel)
        try:
            with metrics.served(settings, gateway.certificate):
                await gateway.start()
                await gateway.serve_until(stop)
                liveness.stopping()
                await gateway.stop()
        except redis.RedisError as error:
            raise Unavailable(str(explain(error, place(settings.redis_url)))) from error
        if migrated.done():
            migrated.result()


async def _until_migrated(store: Store, stop: asyncio.Event) -> None:
    """Stop the gateway and raise SchemaMismatch once the database belongs to another release."""
    while True:
        await asyncio.sleep(CHECK_S)
        try:
            await asyncio.to_thread(store.check)
        except SchemaMismatch:
            stop.set()
            raise
        except Unavailable as error:
            log.debug("cannot read the version of the database", error=str(error))


def _stop_signal() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop

"""One gateway: it listens, ties itself to Redis, and at the end sends its bots away in order."""

from __future__ import annotations

import asyncio
import secrets
import ssl

import grpc
import grpc.aio
import redis
import redis.asyncio
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio as health
from grpc_reflection.v1alpha import reflection

from arena.config import Settings
from arena.control import port
from arena.errors import InvalidRequest, Unavailable
from arena.gateway.auth import Doorkeeper
from arena.gateway.control import Control
from arena.gateway.floor import Floor
from arena.gateway.heartbeat import Heartbeat
from arena.gateway.inbox import Inbox
from arena.gateway.limits import server_options
from arena.gateway.outbox import Outbox
from arena.gateway.play import Play
from arena.live.presence import beat, stop_beating
from arena.store import Store

log = structlog.get_logger(__name__)

DRAIN_S = 3.0  # for answers to questions that bots hold when the gateway stops
CLOSE_S = 0.5  # for the last messages to leave

SERVICES = ("arena.v1.Play", "arena.v1.Control")


class Gateway:
    """One gateway: a gRPC server, and the tasks that tie it to Redis."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        client: redis.asyncio.Redis,
        control: port.Control,
    ) -> None:
        self.id = secrets.token_hex(6)
        self.port = 0
        self._settings = settings
        self._client = client
        self._doorkeeper = Doorkeeper(store, settings.admin_token)
        self._control = control
        self._server: grpc.aio.Server | None = None
        self._heart: list[asyncio.Task[None]] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Listens, and takes mail. Raises Unavailable when the port is taken, InvalidRequest
        for a certificate that cannot be used, redis.RedisError when Redis went away.
        """
        self._outbox = Outbox(self._client)
        grace_s, max_unread = self._settings.grace_s, self._settings.max_unread
        self.floor = Floor(self._client, self.id, self._outbox, grace_s, max_unread)
        self._inbox = Inbox(self._client, self.id, self.floor.deliver)
        self._server = server = self._make_server()
        self.port = self._listen(server)
        # Before the first bot can come: workers believe a presence only of a living gateway.
        await beat(self._client, self.id)
        heartbeat = Heartbeat(self._client, self.floor, self._doorkeeper)
        self._heart = [asyncio.create_task(duty) for duty in heartbeat.duties()]
        duties = (self._outbox.run(), self._inbox.run(), self.floor.run_clock())
        self._tasks = [asyncio.create_task(duty) for duty in duties]
        await server.start()
        await self._say_health(serving=True)
        log.info("gateway listens", host=self._settings.host, port=self.port, gateway=self.id)

    async def serve_until(self, stop: asyncio.Event) -> None:
        """Waits for the signal to stop; raises what a duty failed with, should one fail."""
        told = asyncio.create_task(stop.wait())
        try:
            duties = {*self._heart, *self._tasks}
            done, _ = await asyncio.wait({told, *duties}, return_when=asyncio.FIRST_COMPLETED)
            for duty in done & duties:
                duty.result()
        finally:
            told.cancel()

    def _make_server(self) -> grpc.aio.Server:
        server = grpc.aio.server(
            interceptors=[self._doorkeeper],
            options=server_options(self._settings),
            maximum_concurrent_rpcs=self._settings.max_streams,
        )
        self._play = Play(self.floor)
        server.add_generic_rpc_handlers((self._play.handler(),))
        server.add_generic_rpc_handlers((Control(self._control).handler(),))
        self._health = health.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        names = (*SERVICES, "grpc.health.v1.Health", reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
        return server

    def _listen(self, server: grpc.aio.Server) -> int:
        place = f"{self._settings.host}:{self._settings.port}"
        credentials = self._credentials()
        try:
            if credentials is None:
                port = server.add_insecure_port(place)
            else:
                port = server.add_secure_port(place, credentials)
        except RuntimeError:
            port = 0
        if port == 0:
            raise Unavailable(
                f"The gateway cannot listen on {place}: another program does, or the address is"
                " not this machine's. Choose another with ARENA_PORT or ARENA_HOST."
            )
        return port

    def _credentials(self) -> grpc.ServerCredentials | None:
        certificate, key = self._settings.tls_cert, self._settings.tls_key
        if certificate is None and key is None:
            return None
        if certificate is None or key is None:
            raise InvalidRequest("TLS needs both ARENA_TLS_CERT and ARENA_TLS_KEY.")
        try:
            # gRPC itself would only say that it cannot listen.
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
            pair = (key.read_bytes(), certificate.read_bytes())
        except OSError as error:
            raise InvalidRequest(
                f"The certificate {certificate} with the key {key} cannot be used ({error})."
            ) from error
        return grpc.ssl_server_credentials([pair])

    async def _say_health(self, serving: bool) -> None:
        status = health_pb2.HealthCheckResponse
        for name in ("", *SERVICES):
            await self._health.set(name, status.SERVING if serving else status.NOT_SERVING)

    async def stop(self) -> None:
        """Drains: bots are told, what they hold may be answered for 3 s, the rest goes back."""
        await self._say_health(serving=False)
        await self._farewell()
        await self.floor.drain(DRAIN_S)
        try:
            await self._inbox.empty()
            await asyncio.wait_for(self._outbox.flushed(), CLOSE_S)
        except (redis.RedisError, TimeoutError) as error:
            log.warning("the workers could not be told of everything", error=str(error))
        await self.close()
        log.info("gateway stopped", gateway=self.id)

    async def close(self) -> None:
        """Ends everything at once; for a gateway that did not start, or after `stop`."""
        if self._server is not None:
            await self._server.stop(CLOSE_S)
        await _ended(self._heart + self._tasks)

    async def _farewell(self) -> None:
        await _ended(self._heart)
        try:
            await stop_beating(self._client, self.id)
        except redis.RedisError as error:
            log.warning("the heartbeat is left to expire", error=str(error))


async def _ended(tasks: list[asyncio.Task[None]]) -> None:
    """Cancels tasks until they are done: a library below may swallow a cancellation."""
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=CLOSE_S)

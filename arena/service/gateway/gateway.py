"""One gateway: listens, connects to Redis, and drains its bots when it stops."""

import asyncio
import logging
import secrets
import time
from collections.abc import Sequence
from typing import Any

import grpc
import grpc.aio
import redis
import redis.asyncio
import structlog
from grpc_reflection.v1alpha import reflection, reflection_pb2

from arena.base import liveness
from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.hosting.submission.files import MB
from arena.protocol import services
from arena.service.control import port
from arena.service.control.submissions import SubmissionService
from arena.service.gateway.auth import AuthInterceptor
from arena.service.gateway.certificate import certificate_of
from arena.service.gateway.connection_closer import ConnectionCloser
from arena.service.gateway.control import control_handler
from arena.service.gateway.echo import Echo
from arena.service.gateway.health import HealthReport
from arena.service.gateway.heartbeat import Heartbeat
from arena.service.gateway.inbox import Inbox
from arena.service.gateway.limits import server_options
from arena.service.gateway.outbox import Outbox
from arena.service.gateway.play import Play
from arena.service.gateway.rate_limiter import RateLimiter
from arena.service.gateway.session_io import SessionIO
from arena.service.gateway.sessions import SessionRegistry
from arena.service.gateway.submissions import SubmissionsServicer
from arena.service.live.presence import beat, stop_beating
from arena.store import Store
from arena.store.registry.submissions import SubmissionLimits

log = structlog.get_logger(__name__)

DRAIN_S = 3.0  # for answers to open decisions when the gateway stops
CLOSE_S = 0.5  # for the last messages to leave
V1ALPHA = reflection.SERVICE_NAME
V1 = V1ALPHA.replace("v1alpha", "v1")


def _is_news(record: logging.LogRecord) -> bool:
    """Return whether a line of grpc is of interest: not that a client does not read its answer."""
    return not record.getMessage().startswith("ExecuteBatchError raised in core")


class Gateway:
    """One gateway: a gRPC server, and the tasks that connect it to Redis."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        client: redis.asyncio.Redis,
        control: port.Control,
    ) -> None:
        """Raises InvalidRequest for a certificate that cannot be used."""
        self.id = secrets.token_hex(6)
        self.port = 0
        self.certificate = certificate_of(settings)
        self._settings = settings
        self._store = store
        self._client = client
        self._limiter = RateLimiter(settings)
        self._auth = AuthInterceptor(store, settings.admin_token, self._limiter)
        self._control = control
        uploads = SubmissionLimits(settings.submission_mb * MB, settings.submissions_per_day)
        self._submissions = SubmissionsServicer(SubmissionService(store, uploads))
        self._health = HealthReport()
        self._server: grpc.aio.Server | None = None
        self._heartbeats: list[asyncio.Task[None]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._echo: Echo | None = None
        self._echoing: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Listens, and takes deliveries. Raises Unavailable when the port is taken, and
        redis.RedisError when Redis went away.
        """
        grace_s, max_unread = self._settings.grace_s, self._settings.max_unread
        registry = SessionRegistry(self.id, grace_s, max_unread)
        self._outbox = Outbox(self._client, registry.outputs.replies)
        self.sessions = SessionIO(self._client, registry, self._outbox)
        self._echo = echo = Echo(self._echoed, self.sessions.sleep)
        self._auth.admit_echo(echo.token)
        self._limiter.on_ban = self.sessions.banned
        self._inbox = Inbox(self._client, self.id, self.sessions.delivered)
        self._server = server = self._make_server()
        self.port = self._listen(server)
        echo.listen(server)
        # Before the first bot connects: workers accept presences only of live gateways.
        await beat(self._client, self.id)
        self._beaten()
        await self._health.report()
        heartbeat = Heartbeat(self._client, self.sessions, self._store, self._beaten)
        closer = ConnectionCloser(self._limiter, self.port, self._settings)
        tasks = (*heartbeat.tasks(), self._health.run())
        self._heartbeats = [asyncio.create_task(task) for task in tasks]
        loops = (
            self._outbox.run(),
            self._inbox.run(),
            self.sessions.run_clock(),
            self.sessions.watch_machine(),
            closer.run(),
        )
        self._tasks = [asyncio.create_task(loop) for loop in loops]
        await server.start()
        self._echoing = [asyncio.create_task(echo.run())]
        log.info("gateway listens", host=self._settings.host, port=self.port, gateway=self.id)

    def _beaten(self) -> None:
        """Redis has taken a heartbeat."""
        self._health.beaten()
        self.sessions.registry.beaten(time.monotonic())

    def _echoed(self, sent: float) -> None:
        """An echo came back that was sent at this moment."""
        self.sessions.registry.echoed(sent)
        liveness.alive()

    async def serve_until(self, stop: asyncio.Event) -> None:
        """Wait for the signal to stop. Raises the error of a task that fails."""
        stopped = asyncio.create_task(stop.wait())
        try:
            tasks = {*self._heartbeats, *self._tasks, *self._echoing}
            done, _ = await asyncio.wait({stopped, *tasks}, return_when=asyncio.FIRST_COMPLETED)
            for task in done & tasks:
                task.result()
        finally:
            stopped.cancel()

    def _make_server(self) -> grpc.aio.Server:
        logging.getLogger("grpc._cython.cygrpc").addFilter(_is_news)
        server = grpc.aio.server(
            interceptors=[self._auth],
            options=server_options(self._settings),
            maximum_concurrent_rpcs=self._settings.max_streams + 1,  # and the echo
        )
        self._play = Play(self._store, self.sessions, self._auth, self._limiter)
        server.add_generic_rpc_handlers((self._play.handler(),))
        server.add_generic_rpc_handlers((control_handler(self._control),))
        server.add_generic_rpc_handlers((self._submissions.handler(),))
        self._health.add_to(server)
        serve_reflection(server, (*services.ALL, "grpc.health.v1.Health"))
        return server

    def _listen(self, server: grpc.aio.Server) -> int:
        place = f"{self._settings.host}:{self._settings.port}"
        try:
            if self.certificate is None:
                port = server.add_insecure_port(place)
            else:
                port = server.add_secure_port(place, self.certificate.credentials())
        except RuntimeError:
            port = 0
        if port == 0:
            raise Unavailable(
                f"The gateway cannot listen on {place}: another program does, or the address is"
                " not this machine's. Choose another with ARENA_PORT or ARENA_HOST."
            )
        return port

    async def stop(self) -> None:
        """Drain: notify bots, wait `DRAIN_S` for answers, and give back all other decisions."""
        await self._health.withdraw()
        await self._stop_heartbeats()
        await self.sessions.drain(DRAIN_S)
        try:
            await self._inbox.empty()
            await asyncio.wait_for(self._outbox.flushed(), CLOSE_S)
        except (redis.RedisError, TimeoutError) as error:
            log.warning("not all replies reached the workers", error=str(error))
        await self.close()
        log.info("gateway stopped", gateway=self.id)

    async def close(self) -> None:
        """End everything at once, if the gateway did not start or after `stop`."""
        await _cancel(self._echoing)
        if self._server is not None:
            await self._server.stop(CLOSE_S)
        await _cancel(self._heartbeats + self._tasks)
        if self._echo is not None:
            self._echo.close()

    async def _stop_heartbeats(self) -> None:
        await _cancel(self._heartbeats)
        try:
            await stop_beating(self._client, self.id)
        except redis.RedisError as error:
            log.warning("the heartbeat is left to expire", error=str(error))


async def _cancel(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel tasks until they are done, since libraries may swallow a cancellation."""
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=CLOSE_S)


def serve_reflection(server: grpc.aio.Server, services: Sequence[str]) -> None:
    """Add both versions of reflection to the server."""
    names = (*services, V1, V1ALPHA)
    reflection.enable_server_reflection(names, server)
    servicer: Any = reflection.aio.ReflectionServicer(names)
    method: Any = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    handler = grpc.method_handlers_generic_handler(V1, {"ServerReflectionInfo": method})
    server.add_generic_rpc_handlers((handler,))

"""Answers gRPC health checks.

Workers ignore a gateway whose heartbeat does not reach Redis. It then reports NOT_SERVING, so that
load balancers send new bots elsewhere.
"""

import asyncio
import time

import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio as health

from arena.base.keepalive import GATEWAY_TTL_S
from arena.protocol import services

log = structlog.get_logger(__name__)

SERVICES = ("", *services.ALL)
# Always SERVING: for supervisors, since a restart would not help against a failure of Redis.
LIVENESS = "liveness"


class Servicer(health.HealthServicer):  # type: ignore[misc]  # it has no types
    """The library's servicer, which lacks List."""

    async def List(  # noqa: N802  # as in the protocol
        self, _: health_pb2.HealthListRequest, __: object
    ) -> health_pb2.HealthListResponse:
        status = health_pb2.HealthCheckResponse
        statuses = {name: status(status=each) for name, each in self._server_status.items()}
        return health_pb2.HealthListResponse(statuses=statuses)


class HealthReport:
    """Reports SERVING while the last heartbeat is recent enough for workers."""

    def __init__(self) -> None:
        self._servicer = Servicer()
        self._beaten = float("-inf")
        self._serving: bool | None = None
        self._withdrawn = False

    def add_to(self, server: object) -> None:
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)

    def beaten(self) -> None:
        """Redis has taken a heartbeat."""
        self._beaten = time.monotonic()

    async def run(self) -> None:
        """Update the report until cancelled."""
        while True:
            await self.report()
            await asyncio.sleep(GATEWAY_TTL_S / 6)

    async def report(self) -> None:
        alive = time.monotonic() - self._beaten < GATEWAY_TTL_S
        await self._set(alive and not self._withdrawn)

    async def withdraw(self) -> None:
        """Report NOT_SERVING from now on: the gateway stops."""
        self._withdrawn = True
        await self._set(serving=False)

    async def _set(self, serving: bool) -> None:
        if serving == self._serving:
            return
        if not self._withdrawn and self._serving is not None:
            log.warning("health changes", serving=serving)
        status = health_pb2.HealthCheckResponse
        if self._serving is None:
            await self._servicer.set(LIVENESS, status.SERVING)
        self._serving = serving
        for name in SERVICES:
            await self._servicer.set(name, status.SERVING if serving else status.NOT_SERVING)

"""Detects stalls of a gateway by an echo: it sends itself the time on the path that answers take.

Between a socket and our code are gRPC's threads, its queues and the event loop. Each may stall
while the others go on. An echo that is back proves that earlier messages of bots have been read. An
overdue echo indicates a stall.

The echo uses a separate socket in a private folder.
"""

import asyncio
import secrets
import struct
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import structlog

from arena.base.errors import InvalidRequest
from arena.service.gateway.sessions.stalls import ECHO_S

log = structlog.get_logger(__name__)

SERVICE = "arena.internal.Echo"
RETRY_S = 1.0
ECHO_BYTES = 8
OPTIONS = (("grpc.use_local_subchannel_pool", 1),)  # an unshared connection


class Echo:
    """Both ends of the echo."""

    def __init__(
        self,
        heard: Callable[[float], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`heard` gets the time (monotonic seconds) at which a returned echo was sent, and `sleep`
        waits between two echoes."""
        self.token = secrets.token_hex(16)
        self._heard, self._sleep = heard, sleep
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._place = ""

    def listen(self, server: grpc.aio.Server) -> None:
        """Add the receiving end to the server. Without Unix sockets there is no echo."""
        self._folder = tempfile.TemporaryDirectory(prefix="arena-")
        self._place = f"unix:{Path(self._folder.name) / 'echo'}"
        behaviour: Any = self._hear
        handlers: dict[str, Any] = {"Hear": grpc.stream_stream_rpc_method_handler(behaviour, _sent)}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
        try:
            server.add_insecure_port(self._place)
        except RuntimeError as error:
            log.warning("stalls of gRPC will not be noticed", error=str(error))

    async def run(self) -> None:
        """Send echoes until cancelled."""
        while True:
            try:
                await self._send()
            except grpc.aio.AioRpcError as error:
                log.warning("the echo is lost; connecting again", error=error.details())
            await asyncio.sleep(RETRY_S)

    def close(self) -> None:
        """Remove the socket."""
        if self._folder is not None:
            self._folder.cleanup()

    async def _send(self) -> None:
        async with grpc.aio.insecure_channel(self._place, options=OPTIONS) as channel:
            method: Any = channel.stream_stream(f"/{SERVICE}/Hear")
            call = method(metadata=(("authorization", f"Bearer {self.token}"),))
            while not call.done():
                await call.write(_echo(time.monotonic()))
                # One at a time: a single echo may overtake earlier messages, two cannot. Reading
                # avoids a memory leak per unread message (grpcio 1.85).
                await call.read()
                await self._sleep(ECHO_S)

    async def _hear(self, _: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        while isinstance(sent := await context.read(), float):
            self._heard(sent)
            await context.write(_echo(sent))


def _echo(sent: float) -> bytes:
    return struct.pack("<d", sent)


def _sent(echo: bytes) -> float:
    if len(echo) != ECHO_BYTES:
        raise InvalidRequest(f"An echo must have {ECHO_BYTES} bytes, not {len(echo)}.")
    (sent,) = struct.unpack("<d", echo)
    return float(sent)

"""Attacks on a gateway. Each one lasts a few seconds, in a separate process."""

import asyncio
import contextlib
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import grpc
import grpc.aio

from arena.protocol.v1 import play_pb2 as pb
from tests.load import http2

CONNECT = "/arena.v1.Play/Connect"
OPEN_METHODS = (
    "/grpc.health.v1.Health/Check",
    "/grpc.health.v1.Health/List",
    "/grpc.health.v1.Health/Watch",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
)
AT_ONCE = 64


@dataclass
class Target:
    """The gateway, the dashboard, and a valid token."""

    port: int
    token: str
    seconds: float
    pages: int  # the dashboard's port


@dataclass
class Count:
    """Counts of attempts and refusals, with the kinds of refusals."""

    attempts: int = 0
    refused: int = 0
    refusals: Counter[str] = field(default_factory=Counter)

    def refuse(self, how: str) -> None:
        """Counts a refusal: by a status, or by closing the connection."""
        self.refused += 1
        self.refusals[how] += 1


def machine_busy(target: Target, count: Count) -> None:
    """Uses a core without attacking, for comparison."""
    end = time.monotonic() + target.seconds
    while time.monotonic() < end:
        count.attempts += 1


def failed_logins(target: Target, count: Count) -> None:
    """Wrong tokens, as fast as possible."""
    asyncio.run(_calls(target, count, lambda channel: _connect(channel, "lama_wrong")))


def control_logins(target: Target, count: Count) -> None:
    """Wrong tokens at the Control service."""
    asyncio.run(_calls(target, count, lambda channel: _ask(channel, "/arena.v1.Control/ListBots")))


def health_checks(target: Target, count: Count) -> None:
    """Calls that need no token."""
    method = "/grpc.health.v1.Health/Check"
    asyncio.run(_calls(target, count, lambda channel: _ask(channel, method)))


def reconnects(target: Target, count: Count) -> None:
    """Streams with a valid token, closed as soon as they are open."""
    asyncio.run(_calls(target, count, lambda channel: _connect(channel, target.token), at_once=8))


def many_streams(target: Target, count: Count) -> None:
    """A thousand simultaneous streams with one token, repeatedly."""
    asyncio.run(
        _calls(target, count, lambda channel: _connect(channel, target.token), at_once=1000)
    )


def junk_choices(target: Target, count: Count) -> None:
    """Unsolicited answers in large messages."""
    asyncio.run(_junk(target, count, choices=4096))


def junk_messages(target: Target, count: Count) -> None:
    """Unsolicited answers, each in a separate message."""
    asyncio.run(_junk(target, count, choices=1))


def reset_flood(target: Target, count: Count) -> None:
    """Calls that are cancelled at once (HTTP/2 rapid reset), without a token."""
    _reset(target, count, http2.request(CONNECT, "lama_wrong"))


def reset_flood_with_token(target: Target, count: Count) -> None:
    """The same with a valid token."""
    _reset(target, count, http2.request(CONNECT, target.token))


def malformed_messages(target: Target, count: Count) -> None:
    """Malformed messages to all services without authentication. All are refused."""
    methods = cycle(OPEN_METHODS)
    asyncio.run(_calls(target, count, lambda channel: _malformed(channel, next(methods))))


def broken_calls(target: Target, count: Count) -> None:
    """Calls with unreadable headers, on connections that end with a long text: gRPC's core logs a
    line for each. All connections are closed."""
    call = http2.request(OPEN_METHODS[0])
    headers = [
        call + http2.header("grpc-timeout", "soon"),
        call + http2.header("grpc-encoding", "none of them"),
        call + http2.header("authorization", "Bearer \xff"),
    ]
    whole = http2.END_HEADERS | http2.END_STREAM
    calls = b"".join(
        http2.frame(http2.HEADERS, whole, 2 * number + 1, block)
        for number, block in enumerate(headers)
    )
    goodbye = http2.frame(http2.GOAWAY, 0, 0, bytes(7) + b"\1" + b"x" * 1000)
    end = time.monotonic() + target.seconds
    while time.monotonic() < end:
        count.attempts += 1
        with contextlib.suppress(TimeoutError), http2.connect(target.port) as connection:
            connection.sendall(calls + goodbye)
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(1.0)
            with contextlib.suppress(ConnectionError):
                while connection.recv(65536):
                    pass
            count.refuse("closed")


def idle_connections(target: Target, count: Count) -> None:
    """Connections that send nothing; those closed in the end count as refused."""
    end = time.monotonic() + target.seconds
    idle = []
    for _ in range(2000):
        with contextlib.suppress(OSError):
            idle.append(socket.create_connection(("127.0.0.1", target.port), timeout=5))
    count.attempts = len(idle)
    time.sleep(max(0.0, end - time.monotonic()))
    for connection in idle:
        connection.setblocking(False)
        try:
            while connection.recv(4096):
                pass
            count.refuse("closed")
        except BlockingIOError:
            pass
        except OSError:
            count.refuse("closed")
        connection.close()


ATTACKS: dict[str, Callable[[Target, Count], None]] = {
    "another program uses a core": machine_busy,
    "wrong tokens": failed_logins,
    "wrong tokens, Control": control_logins,
    "health checks": health_checks,
    "malformed messages": malformed_messages,
    "broken calls": broken_calls,
    "reconnects": reconnects,
    "1,000 streams on a token": many_streams,
    "junk choices, 4,096 a message": junk_choices,
    "junk choices, 1 a message": junk_messages,
    "rapid reset": reset_flood,
    "rapid reset, good token": reset_flood_with_token,
    "2,000 silent connections": idle_connections,
}


async def _calls(
    target: Target,
    count: Count,
    call: Callable[[grpc.aio.Channel], Awaitable[bool]],
    at_once: int = AT_ONCE,
) -> None:
    """Makes concurrent calls for the target's time; `call` returns whether it was served."""
    end = time.monotonic() + target.seconds

    async def repeat() -> None:
        while time.monotonic() < end:
            count.attempts += 1
            try:
                if not await asyncio.wait_for(call(channel), 2.0):
                    count.refuse("closed")
            except grpc.aio.AioRpcError as error:
                count.refuse(error.code().name)
            except TimeoutError:
                count.refuse("no answer")

    options = (("grpc.use_local_subchannel_pool", 1), ("grpc.initial_reconnect_backoff_ms", 50))
    async with grpc.aio.insecure_channel(f"127.0.0.1:{target.port}", options=options) as channel:
        await asyncio.gather(*(repeat() for _ in range(at_once)))


async def _connect(channel: grpc.aio.Channel, token: str) -> bool:
    method: Any = channel.stream_stream(CONNECT)
    call = method(metadata=(("authorization", f"Bearer {token}"),))
    try:
        await call.write(_hello())
        return isinstance(await call.read(), bytes)
    finally:
        call.cancel()


async def _ask(channel: grpc.aio.Channel, method: str) -> bool:
    ask: Any = channel.unary_unary(method)
    await ask(b"", metadata=(("authorization", "Bearer wrong"),))
    return True


async def _malformed(channel: grpc.aio.Channel, method: str) -> bool:
    call: Any = channel.stream_stream(method)
    return isinstance(await call(iter([b"\x0f\xff\xff"])).read(), bytes)


def _hello() -> bytes:
    hello = pb.Hello(games=["lama"], protocol=1, max_in_flight=16)
    return pb.BotMessage(hello=hello).SerializeToString()


async def _junk(target: Target, count: Count, choices: int) -> None:
    """Sends unsolicited answers and reads the replies. A closed call counts as refused."""
    junk = [pb.Choice(ticket=ticket, index=1) for ticket in range(choices)]
    message = pb.BotMessage(choices=pb.Choices(choices=junk)).SerializeToString()
    end = time.monotonic() + target.seconds
    while time.monotonic() < end:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{target.port}") as channel:
            method: Any = channel.stream_stream(CONNECT)
            call = method(metadata=(("authorization", f"Bearer {target.token}"),))
            reader = asyncio.create_task(_read(call))
            with contextlib.suppress(grpc.aio.AioRpcError, TimeoutError, asyncio.InvalidStateError):
                await call.write(_hello())
                while (left := end - time.monotonic()) > 0:
                    await asyncio.wait_for(call.write(message), left)
                    count.attempts += choices
            if call.done():
                count.refuse("closed")
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
        await asyncio.sleep(0.1)


async def _read(call: Any) -> None:
    with contextlib.suppress(grpc.aio.AioRpcError):
        while await call.read() is not grpc.aio.EOF:
            pass


def _reset(target: Target, count: Count, block: bytes) -> None:
    """Closed connections count as refused."""
    end, batch = time.monotonic() + target.seconds, 100
    while time.monotonic() < end:
        try:
            with http2.connect(target.port) as connection:
                connection.settimeout(1.0)
                stream = 1
                while time.monotonic() < end:
                    http2.reset_flood(connection, block, stream, batch)
                    stream += 2 * batch
                    count.attempts += batch
                    connection.setblocking(False)
                    with contextlib.suppress(BlockingIOError):
                        while connection.recv(65536):
                            pass
                        raise ConnectionResetError
                    connection.settimeout(1.0)
        except TimeoutError:
            continue
        except OSError:
            count.refuse("closed")

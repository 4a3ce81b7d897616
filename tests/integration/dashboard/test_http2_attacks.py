"""Floods of single HTTP/2 frames: a gateway goes on, and keeps nothing of them."""

import asyncio
import contextlib
from typing import Any

import grpc
import pytest

from arena.protocol.internal.relay_pb2 import Reply
from arena.store import Store
from tests.integration.gateway_world import LIMIT_S, BotStream, World, scenario, until, world
from tests.load import http2
from tests.load.attackers import Count, Target
from tests.load.http2_attackers import HTTP2_ATTACKS

SHORT_S = 0.1


async def plays_on(w: World, bot: BotStream, ticket: int) -> None:
    """The bot that was there before answers, and one that comes now gets in."""
    w.ask("nora", ticket, time_ms=20_000)
    await bot.decisions(1)
    await bot.answer(ticket)
    assert (await w.replies(1))[ticket].outcome == Reply.ANSWER
    late = await w.connect("late")
    await late.hang_up()


def test_no_flood_of_frames_costs_a_bot_anything_or_leaves_a_call_open(
    sqlite_store: Store, redis_url: str
) -> None:
    flooded: list[str] = []

    async def run() -> None:
        async with world(sqlite_store, redis_url, exempt_addresses="") as w:
            bot = await w.connect("nora")
            busy = w.gateways[0]._limiter.busy
            before = dict(busy)  # nora's call, and the gateway's own
            for ticket, (name, attack) in enumerate(HTTP2_ATTACKS.items(), 1):
                count = Count()
                target = Target(w.gateways[0].port, w.tokens["nora"], SHORT_S, 0)
                while not count.attempts:  # a slow machine may not come to it
                    await asyncio.to_thread(attack, target, count)
                await plays_on(w, bot, ticket)
                await until(lambda: busy == before)
                flooded.append(name)

    asyncio.run(asyncio.wait_for(run(), 10 * LIMIT_S))
    assert len(flooded) == len(HTTP2_ATTACKS)


@scenario
async def test_a_header_of_more_than_a_client_may_send_reaches_no_service(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        metadata = tuple((f"x-{number}", "x" * 200) for number in range(100))
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{w.gateways[0].port}")
        method: Any = channel.unary_unary("/grpc.health.v1.Health/Check")
        call = method(b"", metadata=metadata)
        assert await call.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        await channel.close()


GREETED = http2.frame(http2.SETTINGS, http2.ACK, 0)
MALFORMED = {
    "a window that grows by nothing": http2.window_update(0, 0),
    "headers that cannot be unpacked": http2.frame(
        http2.HEADERS, http2.END_HEADERS, 1, b"\xff" * 20
    ),
    "data among headers": http2.frame(http2.HEADERS, 0, 1, http2.request("/a/b"))
    + http2.frame(http2.DATA, 0, 1, b"x"),
    "a frame that is longer than any may be": b"\xff\xff\xff\x00\x00" + bytes(4),
    "settings of half a setting": http2.frame(http2.SETTINGS, 0, 0, b"x"),
    "pings without end": http2.frame(http2.PING, 0, 0, bytes(8)) * 50,
}


@pytest.mark.parametrize("malformed", MALFORMED)
def test_a_connection_that_breaks_the_protocol_is_closed(
    sqlite_store: Store, redis_url: str, malformed: str
) -> None:
    @scenario
    async def run() -> None:
        async with world(sqlite_store, redis_url) as w:
            port = w.gateways[0].port
            assert await asyncio.to_thread(closed_after, port, MALFORMED[malformed])

    run()


def closed_after(port: int, sent: bytes) -> bool:
    with http2.connect(port) as connection, contextlib.suppress(ConnectionError):
        connection.sendall(GREETED + sent)
        connection.settimeout(20)
        while connection.recv(65_536):
            pass
    return True


STREAMS = range(1, 400, 2)
BLOCK = http2.request("/grpc.health.v1.Health/Check")
WASTED = {
    "thousands of header fields": http2.frame(
        http2.HEADERS, http2.END_HEADERS, 1, BLOCK + b"\x90" * 8000
    ),
    "calls that end before their message": b"".join(
        http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, stream, BLOCK)
        for stream in STREAMS
    ),
    "calls that the gateway has to reset": b"".join(
        http2.frame(http2.HEADERS, http2.END_HEADERS, stream, BLOCK)
        + http2.frame(http2.DATA, 0, stream, http2.TOO_LARGE)
        for stream in STREAMS
    ),
}


@pytest.mark.parametrize("wasted", WASTED)
def test_calls_that_no_client_makes_cost_their_sender_the_connection(
    sqlite_store: Store, redis_url: str, wasted: str
) -> None:
    @scenario
    async def run() -> None:
        async with world(
            sqlite_store, redis_url, exempt_addresses="", abandoned_calls_per_minute=20
        ) as w:
            bot = await w.connect("nora")
            assert await asyncio.to_thread(closed_after, w.gateways[0].port, WASTED[wasted])
            await plays_on(w, bot, 1)

    run()

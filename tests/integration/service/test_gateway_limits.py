"""What strangers can make grow at a gateway, and where it ends: docs/limits.md."""

import asyncio
import contextlib
import socket
import time
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.base.errors import InvalidRequest
from arena.protocol.hello import LONGEST_SDK_NAME
from arena.protocol.internal.relay_pb2 import Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.service.gateway import limits
from arena.service.gateway.status import details_of
from arena.service.live import keys
from arena.store import Store
from tests.integration.gateway_world import BotStream, World, scenario, until, world

INVALID, EXHAUSTED = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED


async def refused(w: World, **hello: Any) -> tuple[grpc.StatusCode, str]:
    stream = await w.dial("nora")
    await stream.say(hello=pb.Hello(**{"protocol": 1, **hello}))
    return await stream.status()


# Before and with Hello


@scenario
async def test_a_large_hello_is_refused_before_it_is_read(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        began = time.monotonic()
        code, sentence = await refused(w, games=["lama"] * 600_000)
        assert code == INVALID
        assert sentence == "The Hello has 3,600,007 bytes. Send at most 16,384."
        assert time.monotonic() - began < 10
        code, sentence = await refused(w, games=["lama"] * 33)
        assert (code, sentence[:40]) == (INVALID, "Hello.games has 33 entries. Send at most")
        assert (await w.connect("nora", games=["lama"] * 32)).call


@scenario
async def test_a_large_first_message_does_not_hold_the_others_up(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        stalls = [0.0]

        async def watch() -> None:
            while True:
                before = time.monotonic()
                await asyncio.sleep(0.005)
                stalls.append(time.monotonic() - before)

        stream = await w.dial("nora")
        message = pb.BotMessage(hello=pb.Hello(protocol=1, games=["lama"] * 600_000))
        encoded = message.SerializeToString()
        raw: Any = stream.channel.stream_stream("/arena.v1.Play/Connect")
        call = raw(metadata=(("authorization", f"Bearer {w.tokens['nora']}"),))
        watching = asyncio.create_task(watch())
        await call.write(encoded)
        assert await call.code() == INVALID
        watching.cancel()
        assert max(stalls) < 0.25


@scenario
async def test_a_long_sentence_fits_into_what_clients_take(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        code, sentence = await refused(w, games=["\N{GRINNING FACE}" * 3000])
        assert code == INVALID
        assert sentence.startswith("There is no game")
        assert len(sentence) <= limits.LONGEST_SENTENCE + 3
    assert details_of(InvalidRequest("short")) == "short"


@scenario
async def test_text_that_the_database_does_not_store_is_refused(
    postgres_store: Store, redis_url: str
) -> None:
    async with world(postgres_store, redis_url) as w:
        code, sentence = await refused(w, games=["lama"], version="a\0b")
        assert (code, sentence) == (INVALID, "The text contains a NUL character. Remove it.")


@scenario
async def test_sdk_name_is_cut_and_cannot_rewrite_a_log(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        await w.connect("nora", sdk="evil\n\x1b[2Jsdk" + "x" * 1000)
        presence = w.presence("nora")
        assert presence is not None
        assert len(presence.sdk) == LONGEST_SDK_NAME
        assert presence.sdk.isprintable()


def test_a_stream_without_hello_ends(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.service.gateway.play.HELLO_WITHIN_S", 0.2)

    @scenario
    async def run() -> None:
        async with world(sqlite_store, redis_url) as w:
            stream = await w.dial("nora")
            await stream.call.wait_for_connection()
            assert await stream.status() == (INVALID, "No Hello came within 0 s. Send it first.")

    run()


@scenario
async def test_a_bot_has_a_handful_of_streams_and_room_again_when_they_end(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        silent = [await w.dial("nora") for _ in range(limits.MOST_STREAMS_OF_A_BOT)]
        counted = w.gateways[0]._play._streams.open
        bot = next(iter(await until(lambda: dict(counted))))
        await until(lambda: counted[bot] == limits.MOST_STREAMS_OF_A_BOT)
        code, sentence = await (await w.dial("nora")).status()
        assert code == EXHAUSTED
        assert "nora has 8 streams open at this gateway, the maximum" in sentence
        await w.connect("other")
        for stream in silent:
            await stream.hang_up()
        await until(lambda: bot not in counted)
        await w.connect("nora")


@scenario
async def test_streams_without_a_token_are_few_and_single_questions_are_answered(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{w.gateways[0].port}")
        health = health_pb2_grpc.HealthStub(channel)
        request = health_pb2.HealthCheckRequest(service="arena.v1.Play")
        watching = [health.Watch(request) for _ in range(limits.MOST_OPEN_TO_ALL)]
        for call in watching:
            assert (await call.read()).status == health_pb2.HealthCheckResponse.SERVING
        one_more = health.Watch(request)
        assert await one_more.code() == EXHAUSTED
        assert "try again later" in str(await one_more.details())
        assert (await health.Check(request)).status == health_pb2.HealthCheckResponse.SERVING
        watching[0].cancel()

        async def room() -> bool:
            call = health.Watch(request)
            return (await call.read()) is not grpc.aio.EOF

        for _ in range(100):
            with contextlib.suppress(grpc.aio.AioRpcError):
                if await room():
                    break
            await asyncio.sleep(0.02)
        else:
            raise AssertionError("no room again")
        await channel.close()


# Connections


async def gone(stream: BotStream) -> None:
    """Hangs up; the connection ends with the last call that is known of on it."""
    await stream.hang_up()
    del stream.call


@scenario
async def test_a_gateway_accepts_so_many_connections(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url, max_connections=3) as w:
        for name in ("ann", "bob", "cho"):
            await w.connect(name)
        stream = await w.dial("dan")
        code, _ = await stream.status()
        assert code == grpc.StatusCode.UNAVAILABLE
        await gone(stream)
        await gone(w.streams[0])
        for _ in range(100):
            with contextlib.suppress(grpc.aio.AioRpcError):
                await w.connect("dan")
                break
            await gone(w.streams[-1])
            await asyncio.sleep(0.02)
        else:
            raise AssertionError("no room again")


@scenario
async def test_a_gateway_carries_so_many_calls(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url, max_streams=2) as w:
        await w.connect("ann")
        await w.connect("bob")
        stream = await w.dial("cho")
        code, sentence = await stream.status()
        assert code == EXHAUSTED
        assert "limit" in sentence


@scenario
async def test_long_metadata_is_refused(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = BotStream(w.gateways[0].port, "x" * 20_000)
        code, _ = await stream.status()
        assert code == EXHAUSTED
        await stream.hang_up()


def test_connections_that_say_nothing_are_closed(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = limits.server_options

    def sooner(settings: Any) -> Any:
        changed = {"grpc.server_handshake_timeout_ms": 300, "grpc.max_connection_idle_ms": 300}
        return tuple((name, changed.get(name, value)) for name, value in options(settings))

    monkeypatch.setattr("arena.service.gateway.gateway.server_options", sooner)
    greeting = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"

    @scenario
    async def run() -> None:
        async with world(sqlite_store, redis_url) as w:
            for said in (b"", greeting):
                assert await asyncio.to_thread(closed, w.gateways[0].port, said)

    run()


def closed(port: int, said: bytes) -> bool:
    """Whether the other side closes a connection on which just this was said."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(said)
        while connection.recv(4096):
            pass
    return True


# After Hello


@scenario
async def test_a_message_has_so_many_choices(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        choices = [pb.Choice(ticket=ticket) for ticket in range(limits.MOST_CHOICES + 1)]
        await stream.say(choices=pb.Choices(choices=choices))
        code, sentence = await stream.status()
        assert (code, sentence) == (INVALID, "A message has 4,097 choices. Send at most 4,096.")


@scenario
async def test_notices_nobody_reads_are_dropped_and_the_bot_is_told(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, max_unread=100_000) as w:
        stream = await w.connect("nora", notices=True)
        gateway = w.gateways[0]
        notices = gateway.sessions.registry.sessions[w.players["nora"]]._notices
        long = pb.MatchStarted(match="x" * 1000).SerializeToString()
        for _ in range(60):  # some 30 MB, more than the stream and its socket hold
            w.ask("nora", started=[long] * 500, faults=[b""] * 10)
        await until(lambda: w.client.llen(keys.inbox(gateway.id)) == 0)
        assert notices.size <= 100_000
        sent = sum(map(len, notices.started)) + sum(map(len, notices.faults))
        assert sent <= notices.size
        codes = set()
        while "notices_dropped" not in codes:
            message = await stream.read()
            if message.WhichOneof("kind") == "problem":
                codes.add(message.problem.code)
                assert "notices were dropped" in message.problem.message
        w.ask("nora", 7)
        while not message.batch.decisions:
            message = await stream.read()
        assert notices.size == 0


def test_a_bot_that_pings_but_never_reads_loses_its_session(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.service.gateway.sessions.stream.READ_WITHIN_S", 0.4)
    monkeypatch.setattr("arena.service.gateway.stream_writer.CLOSE_WITHIN_S", 0.2)

    @scenario
    async def run() -> None:
        async with world(sqlite_store, redis_url, grace_s=0.3) as w:
            await w.connect("nora", notices=True, max_in_flight=1)
            session = w.gateways[0].sessions.registry.sessions[w.players["nora"]]
            long = pb.MatchStarted(match="x" * 2000).SerializeToString()
            w.ask("nora", 1, 2, 3, time_ms=1500)
            began = time.monotonic()
            for _ in range(40):
                w.ask("nora", started=[long] * 500)
            # It answers nothing, not even what was never sent: the matches go on without it. But
            # as long as it has time to think, it need not read.
            replies = await w.replies(3)
            assert replies[1].outcome == Reply.TIMEOUT
            assert {replies[2].outcome, replies[3].outcome} <= {Reply.DISCONNECT, Reply.TIMEOUT}
            assert time.monotonic() - began > 1.4
            assert session.stream is None

    run()


@scenario
async def test_a_bot_that_leaves_streams_unread_is_refused_further_ones(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, max_unread=10_000_000) as w:
        long = pb.MatchStarted(match="x" * 2000).SerializeToString()
        gateway = w.gateways[0]
        for _ in range(limits.MOST_STREAMS_OF_A_BOT):
            await w.connect("nora", notices=True)
            session = gateway.sessions.registry.sessions[w.players["nora"]]
            sizes = [0]
            # Until the writer is stuck: gRPC and the kernel take some megabytes, more or fewer.
            while sizes[-1] < 9_000_000 or len({*sizes[-4:]}) > 1:
                w.ask("nora", started=[long] * 500)
                await until(lambda: w.client.llen(keys.inbox(gateway.id)) == 0)
                if sizes[-1] >= 9_000_000:
                    await asyncio.sleep(0.1)
                sizes.append(session._notices.size)
        code, _ = await (await w.dial("nora")).status()
        assert code == EXHAUSTED

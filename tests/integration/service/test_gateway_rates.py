"""Limits on how often strangers may do something at a gateway, over the wire: docs/limits.md."""

import asyncio
import contextlib
import socket
import time
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.protocol.internal.relay_pb2 import Reply
from arena.protocol.internal.status_pb2 import RetryInfo, RichStatus
from arena.protocol.v1 import play_pb2 as pb
from arena.service.gateway import connection_closer, logins
from arena.service.gateway.gateway import Gateway
from arena.service.gateway.throttle import parse_peer
from arena.store import Store
from arena.store.registry import bots
from tests.integration.gateway_world import BotStream, World, scenario, until, world
from tests.load import http2

EXHAUSTED, UNAUTHENTICATED = grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAUTHENTICATED

# Everybody is a stranger, and alone at their address.
STRANGERS: dict[str, Any] = {
    "exempt_addresses": "",
    "people_per_address": 1,
    "refusals_per_minute": 3,
}


async def try_token(w: World, token: str) -> tuple[grpc.StatusCode, str]:
    stream = BotStream(w.gateways[0].port, token)
    try:
        return await stream.status()
    finally:
        await stream.hang_up()


@scenario
async def test_wrong_tokens_are_refused_and_the_database_is_not_asked(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(sqlite_store, redis_url, failed_logins_per_minute=2, **STRANGERS) as w:
        await w.connect("nora")
        for _ in range(2):
            assert (await try_token(w, "wrong"))[0] == UNAUTHENTICATED
        asked: list[str] = []
        look_up = logins.bot_of_token

        def note(store: Store, token: str) -> bots.RegisteredBot | None:
            asked.append(token)
            return look_up(store, token)

        monkeypatch.setattr(logins, "bot_of_token", note)

        code, sentence = await try_token(w, "wrong")
        assert (code, sentence[:60]) == (
            EXHAUSTED,
            "More than 2 calls with a wrong token a minute came from 127.0.0.1"[:60],
        )
        for _ in range(4):
            code, sentence = await try_token(w, "wrong")
        assert "is banned for another" in sentence
        assert asked == []

        # Who was in before comes in again, from the same address.
        await w.streams[0].hang_up()
        await w.connect("nora")


@scenario
async def test_a_refusal_says_to_programs_when_to_come_again(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, calls_per_minute=1, **STRANGERS) as w:
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{w.gateways[0].port}")
        check = health_pb2_grpc.HealthStub(channel).Check
        await check(health_pb2.HealthCheckRequest())
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await check(health_pb2.HealthCheckRequest())
        assert error.value.code() == EXHAUSTED
        metadata = dict(error.value.trailing_metadata() or ())
        wait_ms = int(str(metadata["grpc-retry-pushback-ms"]))
        assert 50_000 < wait_ms <= 60_000
        status = RichStatus.FromString(metadata["grpc-status-details-bin"])
        assert status.code == 8
        (detail,) = status.details
        assert detail.type_url == "type.googleapis.com/google.rpc.RetryInfo"
        assert RetryInfo.FromString(detail.value).retry_delay.ToMilliseconds() == wait_ms
        await channel.close()


@scenario
async def test_wrong_administrators_count_as_wrong_tokens(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, failed_logins_per_minute=2, **STRANGERS) as w:
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{w.gateways[0].port}")
        method: Any = channel.unary_unary("/arena.v1.Control/ListBots")

        async def ask(token: str) -> Any:
            call = method(b"", metadata=(("authorization", f"Bearer {token}"),))
            return await call.code()

        codes = [await ask("wrong") for _ in range(4)]
        assert codes == [UNAUTHENTICATED, UNAUTHENTICATED, EXHAUSTED, EXHAUSTED]
        assert await ask("admin-token") == grpc.StatusCode.OK
        await channel.close()


@scenario
async def test_a_bot_that_reconnects_without_end_is_banned_and_told_so(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, reconnects_per_minute=3, **STRANGERS) as w:
        await w.connect("other")
        first = await w.connect("nora")
        for _ in range(2):  # the first stream came with a token that was not known yet
            await w.connect("nora")
        newest = await w.connect("nora")
        codes = [(await try_token(w, w.tokens["nora"]))[0] for _ in range(4)]
        assert codes == [EXHAUSTED] * 4
        assert await first.status() == (grpc.StatusCode.OK, "")  # replaced

        code, sentence = await try_token(w, w.tokens["nora"])
        assert code == EXHAUSTED
        assert sentence.startswith("This token is banned for another 1 min 0 s, because it sent")
        message = await newest.read()
        assert message.closed.reason.startswith("This token is banned")
        assert message.closed.reconnect
        # The other bot behind the same address plays on.
        w.ask("other", 1)
        await w.streams[0].decisions(1)
        await w.streams[0].answer(1)
        assert (await w.replies(1))[1].outcome == Reply.ANSWER


@scenario
async def test_choices_nobody_asked_for_are_slowed_down_and_then_banned(
    sqlite_store: Store, redis_url: str
) -> None:
    limits: dict[str, Any] = {"spare_choices_per_minute": 100, **STRANGERS}
    async with world(sqlite_store, redis_url, **limits) as w:
        stream = await w.connect("nora")
        junk = pb.Choices(choices=[pb.Choice(ticket=n, index=1) for n in range(90)])
        await stream.say(choices=junk)
        problems = [(await stream.read()).problem for _ in range(17)]
        assert {problem.code for problem in problems} == {"unknown_ticket"}
        assert problems[-1].message == (
            "74 more choices of the same message answer no open decision either."
        )
        await stream.say(choices=junk)
        problem = (await stream.read()).problem
        assert problem.code == "too_many_choices"
        assert problem.message.startswith(
            "More than 100 choices beyond the decisions sent a minute"
        )

        # What it is asked it can still answer.
        w.ask("nora", 7, time_ms=10_000)
        await stream.decisions(1)
        await stream.answer(7)
        assert (await w.replies(1))[7].outcome == Reply.ANSWER


@scenario
async def test_calls_that_are_cancelled_at_once_cost_their_sender_the_connection(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, abandoned_calls_per_minute=20, **STRANGERS) as w:
        bot = await w.connect("nora")
        port = w.gateways[0].port
        assert await asyncio.to_thread(flooded, port)
        # The bot's connection comes from the same address, and stays.
        w.ask("nora", 1)
        await bot.decisions(1)
        await bot.answer(1)
        assert (await w.replies(1))[1].outcome == Reply.ANSWER
        while (await try_token(w, "unknown"))[0] != EXHAUSTED:  # the rest of the flood counts, too
            pass


def flooded(port: int) -> bool:
    """Whether a connection that only cancels calls is closed."""
    block = http2.request("/grpc.health.v1.Health/Check")
    with http2.connect(port) as connection:
        for first in range(1, 200_001, 200):
            try:
                http2.reset_flood(connection, block, first, 100)
                connection.settimeout(0.01)
                with contextlib.suppress(TimeoutError):
                    if not connection.recv(65536):
                        return True
                connection.settimeout(5)
            except OSError:
                return True
    return False


# Connections


@scenario
async def test_an_address_has_so_many_connections_and_those_in_use_stay(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, connections_per_person=20, **STRANGERS) as w:
        bot = await w.connect("nora")
        port = w.gateways[0].port
        idle = [await asyncio.to_thread(http2.connect, port) for _ in range(60)]

        def left() -> int:
            return len(peers_at(w.gateways[0]))

        try:
            await until(lambda: left() <= 20)
            assert left() == 20
            w.ask("nora", 1)
            await bot.decisions(1)
        finally:
            for connection in idle:
                connection.close()


def test_closing_connection_does_not_count() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        pairs = []
        for _ in range(3):
            there = socket.create_connection(("127.0.0.1", port))
            pairs.append((there, server.accept()[0]))
        assert len(connection_closer.excess(port, 1, (), ())) == 2
        # The other side has not closed its own yet.
        assert connection_closer.hang_up(port, connection_closer.excess(port, 1, (), ())) == 2
        assert connection_closer.excess(port, 1, (), ()) == frozenset()
        for pair in pairs:
            for one in pair:
                one.close()


def test_a_copied_descriptor_is_not_another_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        there = socket.create_connection(("127.0.0.1", port))
        with there, server.accept()[0] as here, here.dup(), here.dup():
            assert len(connection_closer.excess(port, 0, (), ())) == 1
            assert connection_closer.excess(port, 1, (), ()) == frozenset()


def peers_at(gateway: Gateway) -> frozenset[Any]:
    return connection_closer.excess(gateway.port, 0, (), ())


@scenario
async def test_hundreds_of_connections_that_say_nothing_are_gone_in_time(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, exempt_addresses="") as w:
        port = w.gateways[0].port
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(500)]
        await until(lambda: len(peers_at(w.gateways[0])) == 500)
        await until(lambda: not peers_at(w.gateways[0]), 20)
        for connection in silent:
            connection.close()


@scenario
async def test_only_the_connections_named_are_hung_up(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        port = w.gateways[0].port
        one = await asyncio.to_thread(http2.connect, port)
        other = await asyncio.to_thread(http2.connect, port)
        host, number = one.getsockname()
        await until(lambda: len(peers_at(w.gateways[0])) == 2)  # both are accepted

        assert connection_closer.hang_up(port, {parse_peer(f"ipv4:{host}:{number}")}) == 1

        assert await asyncio.to_thread(ended, one)
        other.settimeout(0.2)
        assert not await asyncio.to_thread(ended, other)
        one.close()
        other.close()


def ended(connection: socket.socket) -> bool:
    try:
        while connection.recv(4096):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


# Calls of all kinds


@scenario
async def test_a_call_that_does_not_exist_is_named(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{w.gateways[0].port}")
        method: Any = channel.unary_unary("/arena.v1.Play/Disconnect")
        call = method(b"")
        assert await call.code() == grpc.StatusCode.UNIMPLEMENTED
        assert "no call /arena.v1.Play/Disconnect" in str(await call.details())
        await channel.close()


@scenario
async def test_only_the_gateway_sends_the_echo(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{w.gateways[0].port}")
        method: Any = channel.stream_stream("/arena.internal.Echo/Hear")
        call = method(metadata=(("authorization", "Bearer "),))
        assert await call.code() == UNAUTHENTICATED
        await channel.close()


# Stalls


@scenario
async def test_while_the_gateway_does_not_hear_no_clock_runs(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        registry = w.gateways[0].sessions.registry
        await until(lambda: registry._stalls._heard is not None)
        echoed = w.gateways[0]._echo._heard  # type: ignore[union-attr]
        w.gateways[0]._echo._heard = lambda sent: None  # type: ignore[union-attr]
        w.ask("nora", 1, 2, time_ms=300)
        await stream.decisions(2)

        await w.no_reply(1.5)
        await stream.answer(1)
        assert (await w.replies(1))[1].outcome == Reply.ANSWER
        w.gateways[0]._echo._heard = echoed  # type: ignore[union-attr]
        heard = time.monotonic()

        assert (await w.replies(1))[2].outcome == Reply.TIMEOUT
        assert time.monotonic() - heard > 0.1  # it had the rest of its time

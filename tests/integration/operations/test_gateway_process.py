"""A gateway from start to end: ports, certificates, health, Redis gone, draining, control calls."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
import redis
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2

from arena.base.config import Settings
from arena.base.errors import InvalidRequest, NotFound, NotNow, Unavailable
from arena.operations.embedded import redis_binary, redis_command, redis_config, redis_url
from arena.protocol.internal.relay_pb2 import Reply
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.service import ControlService
from arena.service.gateway import server
from arena.service.health import at_start
from arena.service.live.presence import any_gateway, gateways_alive
from arena.store import Store
from tests.captured_logs import captured_logs
from tests.certificates import self_signed
from tests.integration.gateway_world import ADMIN, World, scenario, until, world
from tests.servers import free_port


@scenario
async def test_a_taken_port_is_named(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        with pytest.raises(Unavailable, match=r"cannot listen on 127.0.0.1:\d+.*ARENA_PORT"):
            await w.gateway(port=w.gateways[0].port)


@scenario
async def test_gateways_may_share_a_port_when_told_to(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url, share_port=True) as w:
        second = await w.gateway(port=w.gateways[0].port)
        assert second.port == w.gateways[0].port


@scenario
async def test_half_a_certificate_is_refused(
    sqlite_store: Store, redis_url: str, tmp_path: Path
) -> None:
    async with world(sqlite_store, redis_url) as w:
        with pytest.raises(InvalidRequest, match="both ARENA_TLS_CERT and ARENA_TLS_KEY"):
            await w.gateway(tls_cert=tmp_path / "cert.pem")
        junk = tmp_path / "junk.pem"
        junk.write_text("no certificate")
        with pytest.raises(InvalidRequest, match="ARENA_TLS_CERT is .*cert.pem, which is not"):
            await w.gateway(tls_cert=tmp_path / "cert.pem", tls_key=junk)
        with pytest.raises(InvalidRequest, match="ARENA_TLS_KEY is .*key.pem, which is not"):
            await w.gateway(tls_cert=junk, tls_key=tmp_path / "key.pem")
        with pytest.raises(InvalidRequest, match="cannot be used"):
            await w.gateway(tls_cert=junk, tls_key=junk)


async def serve_without_redis(settings: Settings) -> None:
    """Starts a gateway as far as it gets."""
    with pytest.raises(Unavailable, match="Redis"):
        await server.serve(settings)


def test_a_gateway_with_an_expired_certificate_logs_a_warning_at_its_start(
    sqlite_store: Store, tmp_path: Path
) -> None:
    pair = self_signed(tmp_path, "localhost", days=0)
    settings = Settings(
        database_url=f"sqlite:///{sqlite_store.url.database}",
        redis_url="redis://127.0.0.1:1/0",
        tls_cert=pair.certificate,
        tls_key=pair.key,
    )
    with captured_logs(at_start) as logged:
        asyncio.run(serve_without_redis(settings))
    (said,) = [each for each in logged if each["log_level"] == "warning"]
    assert "localhost.pem expired" in said["event"]


@scenario
async def test_bots_may_connect_over_tls(
    sqlite_store: Store, redis_url: str, tmp_path: Path
) -> None:
    certificate, key = self_signed(tmp_path, "localhost")
    async with world(sqlite_store, redis_url) as w:
        gateway = await w.gateway(tls_cert=certificate, tls_key=key)
        credentials = grpc.ssl_channel_credentials(certificate.read_bytes())
        async with grpc.aio.secure_channel(f"localhost:{gateway.port}", credentials) as channel:
            check = health_pb2_grpc.HealthStub(channel).Check
            answer = await check(health_pb2.HealthCheckRequest(service="arena.v1.Play"))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


@scenario
async def test_health_needs_no_token_and_ends_with_the_gateway(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        gateway = w.gateways.pop()
        assert any_gateway(w.client)
        assert gateways_alive(w.client, [gateway.id, "other"]) == {gateway.id}
        async with grpc.aio.insecure_channel(f"127.0.0.1:{gateway.port}") as channel:
            check = health_pb2_grpc.HealthStub(channel).Check
            answer = await check(health_pb2.HealthCheckRequest())
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        await gateway.stop()
        assert gateways_alive(w.client, [gateway.id]) == set()


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
@scenario
async def test_reflection_names_the_services(
    sqlite_store: Store, redis_url: str, version: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{w.gateways[0].port}") as channel:
            info = channel.stream_stream(
                f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
                reflection_pb2.ServerReflectionRequest.SerializeToString,
                reflection_pb2.ServerReflectionResponse.FromString,
            )
            questions = [
                reflection_pb2.ServerReflectionRequest(list_services=""),
                reflection_pb2.ServerReflectionRequest(file_containing_symbol="arena.v1.Play"),
            ]
            listed, described = [answer async for answer in info(iter(questions))]
        names = {service.name for service in listed.list_services_response.service}
        assert {"arena.v1.Play", "arena.v1.Control", "grpc.health.v1.Health"} <= names
        assert f"grpc.reflection.{version}.ServerReflection" in names
        assert described.file_descriptor_response.file_descriptor_proto


@scenario
async def test_a_draining_gateway_lets_open_questions_be_answered_and_returns_the_rest(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora", max_in_flight=1)
        w.ask("nora", 1, 2)
        await stream.decisions(1)
        gateway = w.gateways.pop()
        stopping = asyncio.create_task(gateway.stop())
        drain = (await stream.read()).drain
        assert drain.within_ms == 3000
        bounced = await w.replies(1)
        assert bounced[2].outcome == Reply.BOUNCED
        assert w.presence("nora") is None
        w.ask("nora", 3, gateway_id=gateway.id)
        assert (await w.replies(1))[3].outcome == Reply.BOUNCED
        late = await w.dial("late", gateway)
        assert (await late.status())[0] is grpc.StatusCode.UNAVAILABLE
        await stream.answer(1)
        assert (await w.replies(1))[1].outcome == Reply.ANSWER
        assert (await stream.read()).closed.reconnect
        assert (await stream.status())[0] is grpc.StatusCode.OK
        await stopping


@scenario
async def test_unanswered_decisions_are_returned_while_draining(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.service.gateway.gateway.DRAIN_S", 0.3)
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, time_ms=20_000)
        await stream.decisions(1)
        gateway = w.gateways.pop()
        await gateway.stop()
        assert (await w.replies(1))[1].outcome == Reply.BOUNCED


@scenario
async def test_a_gateway_lives_through_the_absence_of_redis(sqlite_store: Store) -> None:
    port = free_port()
    async with own_redis(port), world(sqlite_store, redis_url(port, "pw")) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, time_ms=20_000)
        await stream.decisions(1)
        w.client.shutdown(nosave=True)
        await stream.answer(1)
        stranger = await w.dial("other")
        await stranger.say(hello={"games": ["lama"], "protocol": 1})
        code, details = await stranger.status()
        assert code is grpc.StatusCode.UNAVAILABLE
        assert "cannot reach Redis" in details
        async with own_redis(port):
            await until(lambda: reachable(w) and w.presence("nora") and any_gateway(w.client))
            assert (await w.replies(1))[1].outcome == Reply.ANSWER
            w.ask("nora", 2)
            assert [d.ticket for d in await stream.decisions(1)] == [2]
            await stream.answer(2)
            assert set(await w.replies(1)) == {2}
            await w.gateways.pop().stop()


@scenario
async def test_health_is_what_redis_lets_it_be(sqlite_store: Store) -> None:
    port = free_port()
    status = health_pb2.HealthCheckResponse
    async with own_redis(port), world(sqlite_store, redis_url(port, "pw")) as w:
        gateway = w.gateways.pop()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{gateway.port}") as channel:
            watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
            assert (await watch.read()).status == status.SERVING
            w.client.shutdown(nosave=True)
            assert (await watch.read()).status == status.NOT_SERVING
            async with own_redis(port):
                assert (await watch.read()).status == status.SERVING
                stopping = asyncio.create_task(gateway.stop())
                assert (await watch.read()).status == status.NOT_SERVING
                watch.cancel()
                await stopping


@scenario
async def test_without_redis_a_gateway_still_says_that_it_is_alive(sqlite_store: Store) -> None:
    port = free_port()
    status = health_pb2.HealthCheckResponse
    async with own_redis(port), world(sqlite_store, redis_url(port, "pw")) as w:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{w.gateways[0].port}") as channel:
            health = health_pb2_grpc.HealthStub(channel)
            watch = health.Watch(health_pb2.HealthCheckRequest())
            assert (await watch.read()).status == status.SERVING
            w.client.shutdown(nosave=True)
            assert (await watch.read()).status == status.NOT_SERVING
            alive = await health.Check(health_pb2.HealthCheckRequest(service="liveness"))
            assert alive.status == status.SERVING
            watch.cancel()
        async with own_redis(port):
            await w.gateways.pop().stop()


@scenario
async def test_a_gateway_whose_duty_fails_says_so(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        gateway = w.gateways[0]

        def fail(now: float) -> None:
            raise ZeroDivisionError("a mistake of ours")

        gateway.sessions.registry.tick = fail  # type: ignore[method-assign]
        await w.connect("nora")  # an idle gateway does not tick
        with pytest.raises(ZeroDivisionError):
            await gateway.serve_until(asyncio.Event())


def reachable(w: World) -> bool:
    try:
        return bool(w.client.ping())
    except redis.RedisError:
        return False


@asynccontextmanager
async def own_redis(port: int) -> AsyncIterator[None]:
    """A Redis of the test's own, to be shut down in its middle."""
    command = redis_command(redis_binary())
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=quiet, stderr=quiet
    )
    assert process.stdin is not None
    process.stdin.write(redis_config(port, "pw"))
    process.stdin.close()
    try:
        await until(lambda: listening(port))
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


# Control calls


class SmallControl(ControlService):
    """Two of the service's methods are enough to see the coat around it."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, None)
        self.played = 0

    def register_bot(self, request: pb.RegisterBotRequest) -> pb.BotToken:
        if request.name == "missing":
            raise NotFound("There is no such thing.")
        if request.name == "early":
            raise NotNow("Not at this moment.")
        if request.name == "broken":
            raise RuntimeError("a secret of ours")
        return pb.BotToken(name=request.name, token="t")

    def get_tournament(self, request: pb.TournamentId) -> pb.Tournament:
        self.played = min(3, self.played + 1)
        state = "finished" if self.played == 3 else "running"
        return pb.Tournament(id=request.id, played=self.played, state=state)


@asynccontextmanager
async def control(
    store: Store, url: str, token: str = ADMIN, **settings: Any
) -> AsyncIterator[Any]:
    async with (
        world(store, url, SmallControl(store), **settings) as w,
        grpc.aio.insecure_channel(f"127.0.0.1:{w.gateways[0].port}") as channel,
    ):
        yield Caller(channel, token)


class Caller:
    """The contract's calls with a token."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self.channel = channel
        self.metadata = (("authorization", f"Bearer {token}"),)

    async def register(self, name: str) -> pb.BotToken:
        call: grpc.aio.UnaryUnaryMultiCallable[pb.RegisterBotRequest, pb.BotToken] = (
            self.channel.unary_unary(
                "/arena.v1.Control/RegisterBot",
                pb.RegisterBotRequest.SerializeToString,
                pb.BotToken.FromString,
            )
        )
        return await call(pb.RegisterBotRequest(name=name), metadata=self.metadata)

    def watch(self, number: int) -> grpc.aio.UnaryStreamCall[pb.TournamentId, pb.Tournament]:
        call: grpc.aio.UnaryStreamMultiCallable[pb.TournamentId, pb.Tournament] = (
            self.channel.unary_stream(
                "/arena.v1.Control/WatchTournament",
                pb.TournamentId.SerializeToString,
                pb.Tournament.FromString,
            )
        )
        return call(pb.TournamentId(id=number), metadata=self.metadata)


async def failure(call: Any) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value.code(), str(caught.value.details())


@scenario
async def test_control_calls_answer_or_say_why_not(sqlite_store: Store, redis_url: str) -> None:
    async with control(sqlite_store, redis_url) as c:
        assert (await c.register("nora")).name == "nora"
        code, details = await failure(c.register("missing"))
        assert (code, details) == (grpc.StatusCode.NOT_FOUND, "There is no such thing.")
        assert (await failure(c.register("early")))[0] is grpc.StatusCode.FAILED_PRECONDITION
        code, details = await failure(c.register("broken"))
        assert code is grpc.StatusCode.INTERNAL
        assert "secret" not in details
        raw = c.channel.unary_unary("/arena.v1.Control/RegisterBot")
        code, details = await failure(raw(b"\xff\xff", metadata=c.metadata))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert "RegisterBotRequest" in details


@scenario
async def test_watching_a_tournament_ends_with_it(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.service.gateway.control.WATCH_S", 0.01)
    async with control(sqlite_store, redis_url) as c:
        watch = c.watch(7)
        seen = [(tournament.played, tournament.state) async for tournament in watch]
        assert seen == [(1, "running"), (2, "running"), (3, "finished")]


@pytest.mark.parametrize(
    ("admin_token", "token", "word"),
    [(ADMIN, "wrong", "not the administrator's"), ("", "", "disabled"), ("", "x", "disabled")],
)
def test_only_the_administrator_may_control(
    sqlite_store: Store, redis_url: str, admin_token: str, token: str, word: str
) -> None:
    @scenario
    async def run() -> None:
        async with control(sqlite_store, redis_url, token or "none", admin_token=admin_token) as c:
            code, details = await failure(c.register("nora"))
            assert code is grpc.StatusCode.UNAUTHENTICATED
            assert word in details
            watch = c.watch(7)
            assert (await failure(watch.read()))[0] is grpc.StatusCode.UNAUTHENTICATED

    run()


@scenario
async def test_a_bots_token_does_not_control(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        w.register("nora")
        async with grpc.aio.insecure_channel(f"127.0.0.1:{w.gateways[0].port}") as channel:
            caller = Caller(channel, w.tokens["nora"])
            code, _ = await failure(caller.register("otto"))
            assert code is grpc.StatusCode.UNAUTHENTICATED

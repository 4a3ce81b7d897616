"""Malformed messages: refused by every service, without a traceback in the log."""

import logging
from collections.abc import Iterator
from typing import Any

import grpc
import grpc.aio
import grpc.aio._server as implementation
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2

from arena.protocol import services
from arena.service.gateway.auth import OPEN_SERVICES
from arena.store import Store
from tests.integration.gateway_world import ADMIN, World, scenario, world

MALFORMED = b"\x0f\xff\xff"  # a field of wire type 7, which there is not
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
INVALID = grpc.StatusCode.INVALID_ARGUMENT


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The handlers that servers get from now on, by their methods."""
    found: dict[str, Any] = {}
    register = implementation.Server.add_generic_rpc_handlers

    def noted(server: implementation.Server, handlers: Any) -> None:
        for handler in handlers:
            found.update(handler._method_handlers)
        register(server, handlers)

    monkeypatch.setattr(implementation.Server, "add_generic_rpc_handlers", noted)
    return found


@pytest.fixture(autouse=True)
def no_traceback(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    logged = [record.getMessage() for record in caplog.records if record.levelno > logging.INFO]
    assert logged == []


def token_for(method: str, w: World) -> str:
    """A token with which the service of this method reads messages."""
    service = method.split("/")[1]
    echo: Any = w.gateways[0]._echo
    tokens = {
        services.PLAY: w.tokens["nora"],
        services.CONTROL: ADMIN,
        services.SUBMISSIONS: ADMIN,
        "arena.internal.Echo": echo.token,
    }
    return "" if service in OPEN_SERVICES else tokens[service]


async def answered(w: World, method: str, *messages: bytes) -> tuple[grpc.StatusCode, str]:
    """How a call with these messages ends."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{w.gateways[0].port}") as channel:
        # To the server a call with one message is a stream like any other.
        open_call: Any = channel.stream_stream(method)
        call = open_call(iter(messages), metadata=metadata(token_for(method, w)), timeout=20)
        try:
            async for _ in call:
                pass
        except grpc.aio.AioRpcError:
            pass
        return await call.code(), await call.details()


def metadata(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),) if token else ()


@scenario
async def test_every_method_of_every_service_refuses_a_malformed_message(
    sqlite_store: Store, redis_url: str, registered: dict[str, Any]
) -> None:
    async with world(sqlite_store, redis_url) as w:
        w.register("nora")
        ended = {method: await answered(w, method, MALFORMED) for method in registered}
    assert {*services.ALL, *OPEN_SERVICES} < {method.split("/")[1] for method in ended}
    assert {method: code for method, (code, _) in ended.items() if code != INVALID} == {}
    _, sentence = ended["/grpc.health.v1.Health/Check"]
    assert sentence == (
        "The message is not a valid grpc.health.v1.HealthCheckRequest. "
        "Use the .proto file of this gateway's version."
    )


@scenario
async def test_a_stream_refuses_a_malformed_message_after_a_valid_one(
    sqlite_store: Store, redis_url: str
) -> None:
    valid = reflection_pb2.ServerReflectionRequest(list_services="").SerializeToString()
    async with world(sqlite_store, redis_url) as w:
        w.register("nora")
        assert (await answered(w, REFLECTION, valid, MALFORMED))[0] == INVALID
        assert (await answered(w, REFLECTION, valid))[0] == grpc.StatusCode.OK


@scenario
async def test_the_health_of_all_services_can_be_listed(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        place = f"127.0.0.1:{w.gateways[0].port}"
        async with grpc.aio.insecure_channel(place) as channel:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            listed = await stub.List(health_pb2.HealthListRequest())
    serving = health_pb2.HealthCheckResponse.SERVING
    assert {name: each.status for name, each in listed.statuses.items()} == dict.fromkeys(
        ("", "liveness", *services.ALL), serving
    )

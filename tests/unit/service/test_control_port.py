"""The port of the Control contract, its twins and the gateway offer what control.proto says."""

import re
from collections.abc import Callable, Iterator
from typing import Any, cast, get_type_hints

import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from arena.cli.remote import RemoteControl
from arena.protocol import services
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.port import Control
from arena.service.control.service import ControlService
from arena.service.gateway.control import unary_calls

METHODS = list(pb.DESCRIPTOR.services_by_name["Control"].methods)


def python_name(method: MethodDescriptor) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower()


def public(kind: type) -> dict[str, Callable[..., Any]]:
    return {name: each for name, each in vars(kind).items() if not name.startswith("_")}


def test_the_port_has_the_calls_of_the_contract_and_no_others() -> None:
    assert set(public(Control)) == {python_name(method) for method in METHODS}


@pytest.mark.parametrize("kind", [Control, ControlService])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_each_call_takes_and_gives_the_messages_of_the_contract(
    kind: type, method: MethodDescriptor
) -> None:
    hints = get_type_hints(getattr(kind, python_name(method)))
    answer = GetMessageClass(method.output_type)
    assert hints["request"] is GetMessageClass(method.input_type)
    assert hints["return"] == (Iterator[answer] if method.server_streaming else answer)  # type: ignore[valid-type]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_remote_twin_has_each_call(method: MethodDescriptor) -> None:
    with RemoteControl("127.0.0.1:1", "token") as remote:
        assert callable(getattr(remote, python_name(method)))
        assert not hasattr(remote, f"{python_name(method)}s")


def test_the_gateway_serves_every_call() -> None:
    class Named:
        def __getattr__(self, name: str) -> str:
            return name

    calls = unary_calls(cast("Control", Named()))
    one_answer = [method for method in METHODS if not method.server_streaming]
    assert {name: str(call.carry_out) for name, call in calls.items()} == {
        method.name: python_name(method) for method in one_answer
    }
    for method in one_answer:
        assert calls[method.name].request is GetMessageClass(method.input_type)
    assert [method.name for method in METHODS if method.server_streaming] == ["WatchTournament"]


def test_services_keep_the_names_that_clients_of_other_languages_call() -> None:
    assert (services.PLAY, services.CONTROL) == ("arena.v1.Play", "arena.v1.Control")
    assert services.SUBMISSIONS == "arena.v1.Submissions"

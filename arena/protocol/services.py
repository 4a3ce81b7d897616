"""The services of the contract: their full names, and their calls."""

from __future__ import annotations

import re
from dataclasses import dataclass

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from arena.protocol.v1 import control_pb2, play_pb2, submissions_pb2

_CONTROL = control_pb2.DESCRIPTOR.services_by_name["Control"]
PLAY = play_pb2.DESCRIPTOR.services_by_name["Play"].full_name
CONTROL = _CONTROL.full_name
SUBMISSIONS = submissions_pb2.DESCRIPTOR.services_by_name["Submissions"].full_name
ALL = (PLAY, CONTROL, SUBMISSIONS)


@dataclass(frozen=True)
class Rpc:
    """A call: its name in the contract and in Python, its messages, whether answers stream."""

    name: str
    verb: str
    request: type[Message]
    answer: type[Message]
    streams: bool


def _rpc(method: MethodDescriptor) -> Rpc:
    verb = re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower()
    request, answer = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
    return Rpc(method.name, verb, request, answer, method.server_streaming)


def _rpcs(service: ServiceDescriptor) -> dict[str, Rpc]:
    return {rpc.verb: rpc for rpc in map(_rpc, service.methods)}


CONTROL_RPCS = _rpcs(_CONTROL)  # by verb

"""The calls of the Control service, from its descriptor. Not for bots."""

import re
from dataclasses import dataclass

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from arena.protocol.v1 import control_pb2


@dataclass(frozen=True)
class Rpc:
    """A call: its names in the protocol and in Python, its messages, whether responses stream."""

    name: str
    verb: str
    request: type[Message]
    answer: type[Message]
    streams: bool


def _rpc(method: MethodDescriptor) -> Rpc:
    verb = re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower()
    request, answer = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
    return Rpc(method.name, verb, request, answer, method.server_streaming)


CONTROL_RPCS = {
    rpc.verb: rpc for rpc in map(_rpc, control_pb2.DESCRIPTOR.services_by_name["Control"].methods)
}

"""The control service over gRPC, with the same errors."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import grpc
from google.protobuf.message import Message

from arena.protocol import services
from arena.protocol.rpcs import CONTROL_RPCS, Rpc
from arena.sdk.blocking import ANSWER_S, BlockingClient

SLOW = ("set_anchor",)  # no time limit: recomputes the Elo of all matches


class RemoteControl(BlockingClient):
    """`arena.service.control.port.Control` over a connection to a gateway. Each method, such as
    `register_bot`, makes the call of that name."""

    service = services.CONTROL

    def __getattr__(self, verb: str) -> Callable[[Any], Any]:
        rpc = CONTROL_RPCS.get(verb)
        if rpc is None:
            raise AttributeError(verb)
        if rpc.streams:
            return partial(self._watch, rpc)
        limit_s = None if verb in SLOW else ANSWER_S
        return lambda request: self._ask(rpc.name, request, rpc.answer, limit_s)

    def _watch(self, rpc: Rpc, request: Message) -> Iterator[Message]:
        """Yield the answers of a stream, without a time limit."""
        call: grpc.UnaryStreamMultiCallable[Message, Message] = self._channel.unary_stream(
            f"/{self.service}/{rpc.name}", rpc.request.SerializeToString, rpc.answer.FromString
        )
        with self._arena_errors():
            yield from call(request, metadata=self._metadata)

"""The services that need no token: their streams are counted, since anybody can open them."""

from __future__ import annotations

import inspect
from typing import Any

import grpc
import grpc.aio

from arena.gateway.limits import MOST_OPEN_TO_ALL
from arena.gateway.stream_limit import StreamLimit

# Everybody may ask whether the gateway is well and what it serves.
OPEN_SERVICES = frozenset(
    {
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
    }
)
FULL = (
    f"{MOST_OPEN_TO_ALL} streams of the services without a token are open, which is the most:"
    " ask once with Check instead, or try again later."
)


class OpenServiceLimit:
    """Counts them. Single questions, as load balancers put them, are always answered."""

    def __init__(self) -> None:
        self._streams = StreamLimit(MOST_OPEN_TO_ALL)

    def limited(self, handler: Any) -> Any:
        """The handler of a call, refusing streams beyond the limit."""
        if not handler.response_streaming:
            return handler
        serve = handler.stream_stream if handler.request_streaming else handler.unary_stream

        async def counted(request: object, context: grpc.aio.ServicerContext[Any, Any]) -> None:
            if not self._streams.admit("all", context):
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, FULL)
            answers = serve(request, context)
            if not inspect.isasyncgen(answers):
                await answers
                return
            async for answer in answers:
                await context.write(answer)

        kind = (
            grpc.stream_stream_rpc_method_handler
            if handler.request_streaming
            else grpc.unary_stream_rpc_method_handler
        )
        behaviour: Any = counted
        return kind(behaviour, handler.request_deserializer, handler.response_serializer)

"""Lets the interceptor see every call from its start, with its peer.

gRPC runs the handler of a unary call only once the request has arrived, so calls cancelled earlier
would go unnoticed. Interceptors do not get the peer, either. So every call is registered as a
stream, whose handler runs at once and calls the actual handler.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import grpc
import grpc.aio
from google.protobuf.message import DecodeError, Message

from arena.base.errors import InvalidRequest

# The classes of grpc take type arguments in its stubs only.
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Requests: TypeAlias = AsyncIterator[Any]

Deserializer: TypeAlias = Callable[[bytes], Any]

MALFORMED = "The message is not a valid {}. Use the .proto file of this gateway's version."
UNKNOWN = "This gateway has no call {}. The website lists all calls at /docs/reference/messages."


class NoMessage(InvalidRequest):
    """A call ended before its only message, which no regular client does."""


def taken_as_stream(
    handler: Handler | None, serve: Callable[[Requests, Context], Awaitable[None]]
) -> Handler:
    """Return a stream handler that runs `serve` instead of the given handler."""
    behaviour: Any = serve
    if handler is None:
        return grpc.stream_stream_rpc_method_handler(behaviour)
    deserializer = handler.request_deserializer
    return grpc.stream_stream_rpc_method_handler(
        behaviour,
        partial(_deserialized, deserializer) if deserializer else None,
        handler.response_serializer,
    )


def _deserialized(deserialize: Deserializer, message: bytes) -> Any:
    """Return the message. Raises InvalidRequest if it is malformed. Other errors of a deserializer
    would be logged by gRPC with a traceback."""
    try:
        return deserialize(message)
    except DecodeError:
        kind: Any = getattr(deserialize, "__self__", None)  # of `Message.FromString`
        raise InvalidRequest(MALFORMED.format(kind.DESCRIPTOR.full_name)) from None


@dataclass(frozen=True)
class SmallMessage:
    """Deserializes messages of at most `most` bytes. A message can take 50 times its size in
    memory."""

    kind: type[Message]
    most: int

    def from_string(self, message: bytes) -> Message:
        """Return the message. Raises InvalidRequest if it is too large, and DecodeError."""
        if len(message) > self.most:
            name = self.kind.DESCRIPTOR.name
            raise InvalidRequest(
                f"A {name} has {len(message):,} bytes. Send at most {self.most:,} bytes."
            )
        return self.kind.FromString(message)

    @property
    def DESCRIPTOR(self) -> Any:  # noqa: N802 - as in messages
        """The descriptor of the message."""
        return self.kind.DESCRIPTOR


async def carry_out(
    handler: Handler | None, method: str, requests: Requests, context: Context
) -> None:
    """Serve a call that was taken as a stream with its actual handler."""
    if handler is None:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, UNKNOWN.format(method[:100]))
        raise AssertionError("abort raises")
    request: Any = requests
    if not handler.request_streaming:
        request = await context.read()
        if request is grpc.aio.EOF:
            raise NoMessage("The call carries no message.")
    behaviour: Any = _behaviour(handler)
    answers = behaviour(request, context)
    if inspect.isasyncgen(answers):
        async for answer in answers:
            await context.write(answer)
        return
    answer = await answers
    if not handler.response_streaming:
        await context.write(answer)


def _behaviour(handler: Handler) -> Callable[..., Any] | None:
    if handler.request_streaming:
        return handler.stream_stream if handler.response_streaming else handler.stream_unary
    return handler.unary_stream if handler.response_streaming else handler.unary_unary

"""Calls of gRPC: taking them as streams, carrying them out in threads, and limiting open streams.

The interceptor has to see every call from its start, with its peer. gRPC runs the handler of a
unary call only once the request has arrived, so calls cancelled earlier would go unnoticed.
Interceptors do not get the peer, either. So every call is registered as a stream, whose handler
runs at once and calls the actual handler.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import DecodeError, Message

from arena.base.errors import InvalidRequest

# The classes of grpc take type arguments in its stubs only.
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Requests: TypeAlias = AsyncIterator[Any]

Deserializer: TypeAlias = Callable[[bytes], Any]

Q = TypeVar("Q", bound=Message)
A = TypeVar("A", bound=Message)

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


@dataclass(frozen=True)
class Call(Generic[Q, A]):
    """A call: the type of its request, its function, and the most bytes of a request."""

    request: type[Q]
    carry_out: Callable[[Q], A]
    most: int | None = None


def unary(call: Call[Q, A]) -> grpc.RpcMethodHandler[Any, Any]:

    async def answer(request: Q, _: Context) -> bytes:
        return (await asyncio.to_thread(call.carry_out, request)).SerializeToString()

    behaviour: Any = answer
    return grpc.unary_unary_rpc_method_handler(behaviour, partial(_read, call))


def _read(call: Call[Q, A], message: bytes) -> Q:
    """Return the request. Raises InvalidRequest if it is malformed or too large: a message can take
    50 times its size in memory."""
    if call.most is not None and len(message) > call.most:
        name = call.request.DESCRIPTOR.name
        raise InvalidRequest(
            f"A {name} has {len(message):,} bytes. Send at most {call.most:,} bytes."
        )
    request: Q = _deserialized(call.request.FromString, message)
    return request


class StreamLimit:
    """Open streams by key, e.g. by bot.

    A stream counts until it is gone, which may be long after its session has ended: messages to a
    bot that does not read stay in memory until it reads or its connection ends.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.open = Counter[Hashable]()

    def admit(self, key: Hashable, context: Context) -> bool:
        """Count a stream. Return False, and do not count it, if the limit is reached."""
        if self.open[key] >= self.most:
            return False
        self.open[key] += 1
        gone: Any = partial(self._gone, key)
        context.add_done_callback(gone)
        return True

    def _gone(self, key: Hashable, _: object) -> None:
        self.open[key] -= 1
        if not self.open[key]:
            del self.open[key]

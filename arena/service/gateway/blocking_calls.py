"""Runs blocking functions from request to response in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import Message

from arena.service.gateway.calls import SmallMessage

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"

Q = TypeVar("Q", bound=Message)
A = TypeVar("A", bound=Message)


@dataclass(frozen=True)
class Call(Generic[Q, A]):
    """A call: the type of its request, its function, and the most bytes of a request."""

    request: type[Q]
    carry_out: Callable[[Q], A]
    most: int | None = None


def unary(call: Call[Q, A]) -> grpc.RpcMethodHandler[Any, Any]:
    """Return the handler of a unary call."""

    async def answer(request: Q, _: Context) -> bytes:
        return (await asyncio.to_thread(call.carry_out, request)).SerializeToString()

    behaviour: Any = answer
    read: Any = call.request.FromString
    if call.most is not None:
        read = SmallMessage(call.request, call.most).from_string
    return grpc.unary_unary_rpc_method_handler(behaviour, read)

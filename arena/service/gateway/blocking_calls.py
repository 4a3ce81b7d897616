"""Runs blocking functions from request to response in threads, and turns errors into statuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeAlias, TypeVar

import grpc
import grpc.aio
import structlog
from google.protobuf.message import Message

from arena.base.errors import ArenaError
from arena.service.gateway.calls import SmallMessage
from arena.service.gateway.status import OURS, code_of, details_of

log = structlog.get_logger(__name__)

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"

Q = TypeVar("Q", bound=Message)
A = TypeVar("A", bound=Message)
T = TypeVar("T")


@dataclass(frozen=True)
class Call(Generic[Q, A]):
    """A call: the type of its request, its function, and the most bytes of a request."""

    request: type[Q]
    carry_out: Callable[[Q], A]
    most: int | None = None


def unary(name: str, call: Call[Q, A]) -> grpc.RpcMethodHandler[Any, Any]:
    """Return the handler of a unary call."""

    async def answer(request: Q, context: Context) -> bytes:
        response = await carried_out(name, lambda: call.carry_out(request), context)
        return response.SerializeToString()

    behaviour: Any = answer
    read: Any = call.request.FromString
    if call.most is not None:
        read = SmallMessage(call.request, call.most).from_string
    return grpc.unary_unary_rpc_method_handler(behaviour, read)


async def carried_out(name: str, work: Callable[[], T], context: Context) -> T:
    """Return the result of a blocking function. An error ends the call with a status."""
    try:
        return await asyncio.to_thread(work)
    except ArenaError as error:
        await abort(context, code_of(error), details_of(error))
    except Exception:
        # Internal error: log it.
        log.exception("a call failed", call=name)
        await abort(context, grpc.StatusCode.INTERNAL, OURS)


async def abort(context: Context, code: grpc.StatusCode, sentence: str) -> NoReturn:
    """End the call."""
    await context.abort(code, sentence)
    raise AssertionError("abort raises")

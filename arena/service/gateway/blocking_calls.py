"""Calls whose service is a blocking function from request to response: they run in threads, and
what they raise becomes a status."""

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
from arena.service.gateway.status import code_of, details_of

log = structlog.get_logger(__name__)

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"

Q = TypeVar("Q", bound=Message)
A = TypeVar("A", bound=Message)
T = TypeVar("T")

OURS = "Something failed inside the arena; the gateway's log says more."


@dataclass(frozen=True)
class Call(Generic[Q, A]):
    """How one call is carried out."""

    request: type[Q]
    carry_out: Callable[[Q], A]


def unary(name: str, call: Call[Q, A]) -> grpc.RpcMethodHandler[Any, Any]:
    """The handler of a call with one request and one answer."""

    async def answer(request: Q, context: Context) -> bytes:
        response = await carried_out(name, lambda: call.carry_out(request), context)
        return response.SerializeToString()

    behaviour: Any = answer
    return grpc.unary_unary_rpc_method_handler(behaviour, call.request.FromString)


async def carried_out(name: str, work: Callable[[], T], context: Context) -> T:
    """What the blocking function gives; what it raises ends the call of this name."""
    try:
        return await asyncio.to_thread(work)
    except ArenaError as error:
        await abort(context, code_of(error), details_of(error))
    except Exception:
        # The edge of the process: whatever failed is ours, and the log has it.
        log.exception("a call failed", call=name)
        await abort(context, grpc.StatusCode.INTERNAL, OURS)


async def abort(context: Context, code: grpc.StatusCode, sentence: str) -> NoReturn:
    """Ends the call."""
    await context.abort(code, sentence)
    raise AssertionError("abort raises")

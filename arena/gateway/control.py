"""The Control service over gRPC: a thin coat around the service that the command line uses too.

Its methods are blocking functions from request to response; they run in threads.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, TypeAlias

import grpc
import grpc.aio
import structlog
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from arena.errors import ArenaError
from arena.gateway.status import code_of, details_of
from arena.protocol.v1 import control_pb2 as pb
from arena.store.tournaments import OVER

log = structlog.get_logger(__name__)

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"

WATCH_S = 0.5
SERVICE = pb.DESCRIPTOR.services_by_name["Control"]


class Control:
    """The servicer around `service`, which has one method per call, in snake_case."""

    def __init__(self, service: object) -> None:
        self._service = service

    def handler(self) -> grpc.GenericRpcHandler:
        """To be added to the server."""
        handlers = {method.name: self._method(method) for method in SERVICE.methods}
        return grpc.method_handlers_generic_handler(SERVICE.full_name, handlers)

    def _method(self, method: MethodDescriptor) -> grpc.RpcMethodHandler[Any, Any]:
        if method.server_streaming:
            watch: Any = self.watch_tournament
            return grpc.unary_stream_rpc_method_handler(watch)
        carry_out: Any = self._unary(method)
        return grpc.unary_unary_rpc_method_handler(carry_out)

    def _unary(self, method: MethodDescriptor) -> Callable[[bytes, Context], Awaitable[bytes]]:
        request_class = GetMessageClass(method.input_type)
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower()

        async def carry_out(received: bytes, context: Context) -> bytes:
            request = await _decoded(request_class, received, context)
            response = await self._call(name, request, context)
            return response.SerializeToString()

        return carry_out

    async def watch_tournament(self, received: bytes, context: Context) -> None:
        """Streams a tournament whenever it changed, until it is over."""
        request = await _decoded(pb.TournamentId, received, context)
        before = b""
        while True:
            tournament = await self._call("get_tournament", request, context)
            assert isinstance(tournament, pb.Tournament)
            now = tournament.SerializeToString(deterministic=True)
            if now != before:
                await context.write(now)
            if tournament.state in OVER:
                return
            before = now
            await asyncio.sleep(WATCH_S)

    async def _call(self, name: str, request: Message, context: Context) -> Message:
        try:
            response: Message = await asyncio.to_thread(getattr(self._service, name), request)
        except ArenaError as error:
            await _abort(context, code_of(error), details_of(error))
        except Exception:
            # The edge of the process: whatever failed is ours, and the log has it.
            log.exception("a control call failed", call=name)
            sentence = "Something failed inside the arena; the gateway's log says more."
            await _abort(context, grpc.StatusCode.INTERNAL, sentence)
        return response


async def _decoded(kind: type[Message], received: bytes, context: Context) -> Message:
    try:
        return kind.FromString(received)
    except DecodeError:
        sentence = f"The message is not an {kind.DESCRIPTOR.full_name}."
        await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, sentence)


async def _abort(context: Context, code: grpc.StatusCode, sentence: str) -> NoReturn:
    await context.abort(code, sentence)
    raise AssertionError("abort raises")

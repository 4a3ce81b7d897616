"""The Control service over gRPC: a thin layer over the service that the command line also uses.

Its methods are blocking functions from request to response; they run in threads.
"""

from __future__ import annotations

import asyncio
from typing import Any

import grpc

from arena.protocol import services
from arena.protocol.rpcs import CONTROL_RPCS
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control import port
from arena.service.gateway.calls import Call, Context, unary
from arena.store.tournaments.tournaments import OVER

WATCH_S = 0.5


def unary_calls(service: port.Control) -> dict[str, Call[Any, Any]]:
    """Return all unary calls by name."""
    return {
        rpc.name: Call(rpc.request, getattr(service, verb))
        for verb, rpc in CONTROL_RPCS.items()
        if not rpc.streams
    }


class ControlServicer:
    """The servicer around `service`."""

    def __init__(self, service: port.Control) -> None:
        self._service = service

    def handler(self) -> grpc.GenericRpcHandler:
        calls = unary_calls(self._service)
        handlers = {name: unary(call) for name, call in calls.items()}
        watch: Any = self.watch_tournament
        handlers["WatchTournament"] = grpc.unary_stream_rpc_method_handler(
            watch, pb.TournamentId.FromString
        )
        return grpc.method_handlers_generic_handler(services.CONTROL, handlers)

    async def watch_tournament(self, request: pb.TournamentId, context: Context) -> None:
        """Stream a tournament whenever it changes, until it is finished."""
        look, before = self._service.get_tournament, b""
        while True:
            tournament = await asyncio.to_thread(look, request)
            now = tournament.SerializeToString(deterministic=True)
            if now != before:
                await context.write(now)
            if tournament.state in OVER:
                return
            before = now
            await asyncio.sleep(WATCH_S)

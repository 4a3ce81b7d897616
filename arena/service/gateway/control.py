"""The Control service over gRPC: a thin layer over the service that the command line also uses.

Its methods are blocking functions from request to response; they run in threads.
"""

import asyncio
from functools import partial
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
    return {
        rpc.name: Call(rpc.request, getattr(service, verb))
        for verb, rpc in CONTROL_RPCS.items()
        if not rpc.streams
    }


def control_handler(service: port.Control) -> grpc.GenericRpcHandler:
    handlers = {name: unary(call) for name, call in unary_calls(service).items()}
    watch: Any = partial(_watch_tournament, service)
    handlers["WatchTournament"] = grpc.unary_stream_rpc_method_handler(
        watch, pb.TournamentId.FromString
    )
    return grpc.method_handlers_generic_handler(services.CONTROL, handlers)


async def _watch_tournament(
    service: port.Control, request: pb.TournamentId, context: Context
) -> None:
    """Stream a tournament whenever it changes, until it is finished."""
    before = b""
    while True:
        tournament = await asyncio.to_thread(service.get_tournament, request)
        now = tournament.SerializeToString(deterministic=True)
        if now != before:
            await context.write(now)
        if tournament.state in OVER:
            return
        before = now
        await asyncio.sleep(WATCH_S)

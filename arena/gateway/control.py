"""The Control service over gRPC: a thin layer over the service that the command line uses too.

Its methods are blocking functions from request to response; they run in threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeAlias, TypeVar

import grpc
import grpc.aio
import structlog
from google.protobuf.message import DecodeError, Message

from arena.control import port
from arena.errors import ArenaError
from arena.gateway.status import code_of, details_of
from arena.protocol import services
from arena.protocol.v1 import control_pb2 as pb
from arena.store.tournaments.tournaments import OVER

log = structlog.get_logger(__name__)

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"

WATCH_S = 0.5

Q = TypeVar("Q", bound=Message)
A = TypeVar("A", bound=Message)


@dataclass(frozen=True)
class Call(Generic[Q, A]):
    """How one call is carried out."""

    request: type[Q]
    carry_out: Callable[[Q], A]


def unary_calls(service: port.Control) -> dict[str, Call[Any, Any]]:
    """All calls with one answer, by their names in the contract."""
    return {
        "RegisterBot": Call(pb.RegisterBotRequest, service.register_bot),
        "NewVersion": Call(pb.NewVersionRequest, service.new_version),
        "RotateToken": Call(pb.BotName, service.rotate_token),
        "RetireBot": Call(pb.BotName, service.retire_bot),
        "BringBackBot": Call(pb.BotName, service.bring_back_bot),
        "SetOwner": Call(pb.BotOwner, service.set_owner),
        "UnbenchBot": Call(pb.BotName, service.unbench_bot),
        "ListBots": Call(pb.ListBotsRequest, service.list_bots),
        "CreateTournament": Call(pb.TournamentSpec, service.create_tournament),
        "ForecastTournament": Call(pb.TournamentSpec, service.forecast_tournament),
        "GetTournament": Call(pb.TournamentId, service.get_tournament),
        "ListTournaments": Call(pb.ListTournamentsRequest, service.list_tournaments),
        "CancelTournament": Call(pb.TournamentId, service.cancel_tournament),
        "ResumeTournament": Call(pb.TournamentId, service.resume_tournament),
        "EnterTournament": Call(pb.EnterRequest, service.enter_tournament),
        "SetPriority": Call(pb.PriorityRequest, service.set_priority),
        "GetRatings": Call(pb.RatingsRequest, service.get_ratings),
        "GetPairs": Call(pb.RatingsRequest, service.get_pairs),
        "SetAnchor": Call(pb.Anchor, service.set_anchor),
        "ListMatches": Call(pb.ListMatchesRequest, service.list_matches),
        "GetCrosstable": Call(pb.TournamentId, service.get_crosstable),
        "GetMatchRecord": Call(pb.MatchId, service.get_match_record),
        "VerifyMatch": Call(pb.MatchId, service.verify_match),
        "ListFaults": Call(pb.ListFaultsRequest, service.list_faults),
        "ListGames": Call(pb.ListGamesRequest, service.list_games),
        "GetRules": Call(pb.GameName, service.get_rules),
        "ListFormats": Call(pb.ListFormatsRequest, service.list_formats),
    }


class ControlServicer:
    """The servicer around `service`."""

    def __init__(self, service: port.Control) -> None:
        self._service = service

    def handler(self) -> grpc.GenericRpcHandler:
        """To be added to the server."""
        calls = unary_calls(self._service)
        handlers = {name: self._unary(name, call) for name, call in calls.items()}
        watch: Any = self.watch_tournament
        handlers["WatchTournament"] = grpc.unary_stream_rpc_method_handler(watch)
        return grpc.method_handlers_generic_handler(services.CONTROL, handlers)

    def _unary(self, name: str, call: Call[Q, A]) -> grpc.RpcMethodHandler[Any, Any]:
        async def answer(received: bytes, context: Context) -> bytes:
            request = await _decoded(call.request, received, context)
            response = await _carried_out(name, call.carry_out, request, context)
            return response.SerializeToString()

        behaviour: Any = answer
        return grpc.unary_unary_rpc_method_handler(behaviour)

    async def watch_tournament(self, received: bytes, context: Context) -> None:
        """Streams a tournament whenever it changed, until it is over."""
        request = await _decoded(pb.TournamentId, received, context)
        look, before = self._service.get_tournament, b""
        while True:
            tournament = await _carried_out("WatchTournament", look, request, context)
            now = tournament.SerializeToString(deterministic=True)
            if now != before:
                await context.write(now)
            if tournament.state in OVER:
                return
            before = now
            await asyncio.sleep(WATCH_S)


async def _carried_out(name: str, call: Callable[[Q], A], request: Q, context: Context) -> A:
    """The answer of a blocking function; what it raises ends the call."""
    try:
        return await asyncio.to_thread(call, request)
    except ArenaError as error:
        await _abort(context, code_of(error), details_of(error))
    except Exception:
        # The edge of the process: whatever failed is ours, and the log has it.
        log.exception("a control call failed", call=name)
        sentence = "Something failed inside the arena; the gateway's log says more."
        await _abort(context, grpc.StatusCode.INTERNAL, sentence)


async def _decoded(kind: type[Q], received: bytes, context: Context) -> Q:
    try:
        return kind.FromString(received)
    except DecodeError:
        sentence = f"The message is not an {kind.DESCRIPTOR.full_name}."
        await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, sentence)


async def _abort(context: Context, code: grpc.StatusCode, sentence: str) -> NoReturn:
    await context.abort(code, sentence)
    raise AssertionError("abort raises")

"""Views, matches and faults as messages of the wire contract, and views back again.

Workers encode, the SDK decodes; neither side of this module imports gRPC.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from arena.match import Fault, Match
from arena.protocol.v1 import play_pb2 as pb
from arena.rules import RoundLog, View
from arena.rules.shuffles import commitment

PROTOCOL = 1  # version of the contract
NO_OPTIONS: Mapping[str, str] = MappingProxyType({})


def encode_decision(view: View, ticket: int, time_ms: int) -> bytes:
    """An arena.v1.Decision."""
    return pb.Decision(ticket=ticket, time_ms=time_ms, view=view_message(view)).SerializeToString()


def view_message(view: View) -> pb.View:
    """A view as a message; field by field, so that nothing gets out unnoticed."""
    message = pb.View(
        match=view.match,
        number=view.number,
        game=view.game,
        options=view.options,
        round=view.round,
        ask=view.ask,
        seat=view.seat,
        starter=view.starter,
        hand=view.hand,
        penalty=view.penalty,
        hand_sizes=view.hand_sizes,
        active=view.active,
        points=view.points,
        start=view.start,
        top=view.top,
        pile=view.pile,
        moves=view.moves,
        actions=view.actions,
        indices=view.indices,
    )
    if view.whites:
        add_tokens(message, view)
    return message


def add_tokens(message: pb.View, view: View) -> None:
    """What only Dice and Kadabra have."""
    message.whites.extend(view.whites)
    message.blacks.extend(view.blacks)
    message.rows.extend([pb.Cards(cards=row) for row in view.rows])
    message.llama_row.extend(view.llama_row)
    message.dice.extend(view.dice)
    message.stage.extend(view.stage)
    message.magic = view.magic


def decode_view(message: pb.View) -> View:
    """The view that a message carries."""
    return View(
        message.match,
        message.number,
        message.game,
        dict(message.options) if message.options else NO_OPTIONS,
        message.round,
        message.ask,
        message.seat,
        message.starter,
        tuple(message.hand),
        message.penalty,
        tuple(message.hand_sizes),
        tuple(message.active),
        tuple(message.points),
        message.start,
        message.top,
        message.pile,
        message.moves,
        tuple(message.actions),
        tuple(message.indices),
        *(tokens_of(message) if message.whites else ()),
    )


def tokens_of(message: pb.View) -> tuple[Any, ...]:
    """The other way: the fields of a view from `whites` on."""
    return (
        tuple(message.whites),
        tuple(message.blacks),
        tuple([tuple(row.cards) for row in message.rows]),
        tuple(message.llama_row),
        tuple(message.dice),
        tuple(message.stage),
        message.magic,
    )


def encode_started(match: Match, seat: int) -> bytes:
    """An arena.v1.MatchStarted for one seat."""
    setup = match.setup
    return pb.MatchStarted(
        match=setup.id,
        game=setup.game,
        ruleset=match.game.ruleset,
        options=match.game.options,
        seat=seat,
        bots=[other.bot for other in setup.seats],
        commitment=commitment(setup.id, setup.seed),
    ).SerializeToString()


def encode_round(match: Match, number: int) -> bytes:
    """An arena.v1.RoundEnded for round `number` (from 1), the same for all seats."""
    log: RoundLog = match.game.rounds[number - 1]
    return pb.RoundEnded(
        match=match.setup.id,
        round=number,
        hands=[pb.Cards(cards=cards) for cards in match.game.closing(log)],
        penalties=log.penalties,
        points=log.points,
    ).SerializeToString()


def encode_ended(match: Match) -> bytes:
    """An arena.v1.MatchEnded, the same for all seats."""
    result = match.result
    return pb.MatchEnded(
        match=match.setup.id, points=result.points, ranks=result.ranks
    ).SerializeToString()


def encode_fault(match_id: str, fault: Fault) -> bytes:
    """An arena.v1.Fault."""
    return pb.Fault(
        match=match_id,
        number=fault.number,
        kind=fault.kind,
        reason=fault.reason,
        instead=fault.instead,
        forfeited=fault.forfeited,
    ).SerializeToString()

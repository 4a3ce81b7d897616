"""Encodes the notices of matches as protocol messages; for decisions, see `decisions`.

Workers encode and the SDK decodes. Neither imports gRPC.
"""

from arena.games.match import Fault, Match
from arena.games.rules import RoundLog
from arena.games.rules.shuffles import commitment
from arena.protocol.v1 import play_pb2 as pb

PROTOCOL = 1  # protocol version
LONGEST_ACTION, LONGEST_ERROR = 100, 500  # characters of an answer; the rest is cut off


def encode_started(match: Match, seat: int) -> bytes:
    """Returns an encoded arena.v1.MatchStarted for one seat."""
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
    """Returns an encoded arena.v1.RoundEnded for round `number` (from 1), for all seats."""
    log: RoundLog = match.game.rounds[number - 1]
    return pb.RoundEnded(
        match=match.setup.id,
        round=number,
        hands=[pb.Cards(cards=cards) for cards in match.game.final_hands(log)],
        penalties=log.penalties,
        points=log.points,
    ).SerializeToString()


def encode_ended(match: Match) -> bytes:
    """Returns an encoded arena.v1.MatchEnded, for all seats."""
    result = match.result
    return pb.MatchEnded(
        match=match.setup.id, points=result.points, ranks=result.ranks
    ).SerializeToString()


def encode_fault(match_id: str, fault: Fault) -> bytes:
    """Returns an encoded arena.v1.Fault."""
    return pb.Fault(
        match=match_id,
        number=fault.number,
        kind=fault.kind,
        reason=fault.reason,
        instead=fault.instead,
        forfeited=fault.forfeited,
    ).SerializeToString()

"""Sentences about the luck in a tournament."""

from __future__ import annotations

from arena.protocol.v1 import control_pb2 as pb
from arena.service.control import result_messages
from arena.service.control.conversion import filled
from arena.service.control.sentences import luck_lines, match_luck_lines
from arena.store.reports.match_luck import TournamentLuck
from arena.tournaments.ratings.variance import Luck


def chance(known: TournamentLuck, played: int) -> list[str]:
    """Return sentences about the luck of the matches; none while no luck is known."""
    return list(match_luck_lines(result_messages.match_luck(known, (), {}), played))


def saved(known: Luck) -> str:
    """Return a sentence about the variance that duplicate deals save; "" without a whole deal."""
    return next(luck_lines(filled(pb.Luck, known)), "") if known.shared else ""

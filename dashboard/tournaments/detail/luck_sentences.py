"""The luck in a tournament in sentences."""

from __future__ import annotations

from arena.service.control import result_messages
from arena.service.control.sentences import luck_lines, match_luck_lines
from arena.store.reports.match_luck import TournamentLuck
from arena.tournaments.ratings.variance import Luck


def chance(known: TournamentLuck, played: int) -> list[str]:
    """What luck did in the matches, in sentences; nothing while none is known."""
    return list(match_luck_lines(result_messages.match_luck(known, (), {}), played))


def saved(known: Luck) -> str:
    """What shared deals save, in a sentence; nothing before the first whole one."""
    return next(luck_lines(result_messages.luck(known)), "") if known.shared else ""

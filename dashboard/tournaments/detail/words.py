"""A tournament's format in words."""

from __future__ import annotations

from arena.service.control import messages
from arena.service.control.sentences import luck_lines, match_luck_lines
from arena.store.reports.match_luck import TournamentLuck
from arena.tournaments.ratings.variance import Luck

SCORE = "Score is the share of opponents finished ahead of, a tie counting half"

# How standings are ordered where a format has a word in it.
ORDERS = {
    "knockout": f"Who is still in comes first, then who lasted longer. {SCORE}.",
    "swiss": (
        f"{SCORE}; equal scores are ordered by the mean score of the opponents met, "
        "then by mean points."
    ),
    "ladder": (
        "Ordered by strength when the latest matches were scheduled, which allows for whom a bot "
        f"has met. {SCORE}."
    ),
}
USUAL = f"{SCORE}; equal scores are ordered by mean points."


def order(format_: str) -> str:
    """How the standings are ordered."""
    return ORDERS.get(format_, USUAL)


def chance(known: TournamentLuck, played: int) -> list[str]:
    """What luck did in the matches, in sentences; nothing while none is known."""
    return list(match_luck_lines(messages.match_luck(known, (), {}), played))


def saved(known: Luck) -> str:
    """What shared deals save, in a sentence; nothing before the first whole one."""
    return next(luck_lines(messages.luck(known)), "") if known.shared else ""

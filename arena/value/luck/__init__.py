"""Luck in finished matches: what cards and dice did to each pair of seats, by event.

    matches = [FinishedMatch(id, seed, log), ...]          # of one game at one number of seats
    for luck in luck_of("lama", 4, matches):
        luck.total[i, j]                                   # of seat i against seat j, in UNITs

The adjusted score of a pair is its score minus `total / UNIT`. Its mean is that of the plain score
whatever the nets are worth, since they know nothing of how this match went on; only its variance
depends on them.
"""

from arena.value.luck.finished import events_of, luck_of, version_of
from arena.value.luck.model import DEAL, DRAW, ROLL, UNIT, FinishedMatch, LuckEvent, MatchLuck

__all__ = [
    "DEAL",
    "DRAW",
    "ROLL",
    "UNIT",
    "FinishedMatch",
    "LuckEvent",
    "MatchLuck",
    "events_of",
    "luck_of",
    "version_of",
]

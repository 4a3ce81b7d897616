"""Luck in finished matches: the effect of cards and dice on each pair of seats, by event.

    matches = [FinishedMatch(id, seed, log), ...]          # of one game at one number of seats
    for luck in luck_of("lama", 4, matches):
        luck.total[i, j]                                   # of seat i against seat j, in UNITs

The luck-adjusted score of a pair is its score minus `total / UNIT`. It has the same mean as the
unadjusted score even with bad models, since they do not see the rest of the match. Good models
reduce its variance.
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

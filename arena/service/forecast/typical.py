"""What is taken where nothing was measured yet, and what hardly depends on the machine."""

from __future__ import annotations

# Decisions asked in a match, all seats together, at 2 to 6 seats: means of 400 matches among house
# bots drawn at random, without options. A test plays some of them again.
DECISIONS = {
    "lama": (98, 98, 107, 114, 119),
    "party": (93, 107, 113, 111, 116),
    "dice": (50, 64, 77, 80, 87),
    "kadabra": (71, 91, 103, 116, 119),
}
OF_ANY_GAME = (80, 90, 100, 105, 110)

# The longest matches of a block have so many times as many decisions as others, and go on for so
# much of a match after bots have begun to wait.
LONGEST, AFTER = 1.6, 0.6

# Two cores with quick bots do about as many a second; `python -m tests.lab bench pipeline`.
DECISIONS_PER_S = 16_000.0

# At the end of a block few matches are left, and messages are small. That takes as long as so many
# matches in full flight, fast machine or slow: 20 matches took as long as 190 in a long run.
LAST = 170

# Questions that a bot takes at once of whom nothing is known: what the contract takes, too.
AT_ONCE = 1


def decisions(game: str, seats: int) -> float:
    """Decisions asked in a match, all seats together."""
    return float(DECISIONS.get(game, OF_ANY_GAME)[seats - 2])

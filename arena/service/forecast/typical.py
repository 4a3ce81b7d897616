"""Typical values, for forecasts without measurements and for values independent of the machine."""

from arena.games.rules import GAMES, Game

# The length of the longest matches of a block relative to the mean, and the part of a match for
# which they continue after bots have started to wait.
LONGEST, AFTER = 1.6, 0.6

# About the rate of two cores with fast bots; see `python -m tests.lab bench pipeline`.
DECISIONS_PER_S = 16_000.0

# At the end of a block few matches are left, and messages are small. This takes as long as this
# number of matches with many in flight, on fast and slow machines.
LAST = 170

# Decisions that an unknown bot accepts at once; also the default of the protocol.
AT_ONCE = 1


def decisions(game: str, seats: int) -> float:
    """The number of decisions in a match, all seats together."""
    return float(GAMES.get(game, Game).typical_decisions[seats - 2])

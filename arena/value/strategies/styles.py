"""The names of the strategies, in the order of their numbers."""

STYLES = ("random", "timid", "stubborn", "five", "careful", "sharp")
RANDOM, TIMID, STUBBORN, FIVE, CAREFUL, SHARP = range(len(STYLES))

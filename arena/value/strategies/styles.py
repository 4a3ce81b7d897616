"""The names and numbers of the strategies."""

STYLES = ("random", "timid", "stubborn", "five", "careful", "sharp")
RANDOM, TIMID, STUBBORN, FIVE, CAREFUL, SHARP = range(len(STYLES))

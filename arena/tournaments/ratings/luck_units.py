"""Constants of luck that do not need NumPy, for authors' installations."""

HALF = 1024  # units of a half-point
GAME = 2 * HALF  # units of a score of 1
MOST = 2 * GAME  # limit for a pair, because an event moves an expected score by less than 1
SAMPLE = 1000  # matches after which it is known whether the adjustment saves matches


def may_help(matches: int, low: float | None) -> bool:
    """Whether luck adjustment may save matches. False if the factor's interval, starting at `low`,
    includes 1 although the luck of many matches is known."""
    return matches < SAMPLE or low is None or low > 1

"""Names of significant losses, by size."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Verdict: TypeAlias = Literal["", "inaccuracy", "mistake", "blunder"]

# Losses in expected score (1: ahead of all opponents, 0: behind all), the worst first.
THRESHOLDS: Final[tuple[tuple[float, Verdict], ...]] = (
    (0.10, "blunder"),
    (0.05, "mistake"),
    (0.03, "inaccuracy"),
)
NAMES: Final[tuple[Verdict, ...]] = tuple([name for _, name in THRESHOLDS])
SURE: Final = 2.0  # standard errors of a significant loss


def verdict(loss: float, error: float) -> Verdict:
    """Return the worst name whose threshold the loss reaches, or "" if it is not significant."""
    if loss < SURE * error:
        return ""
    return next((name for least, name in THRESHOLDS if loss >= least), "")

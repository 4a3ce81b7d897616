"""What a loss is called: by its size, and only where it is no chance of the sample."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Verdict: TypeAlias = Literal["", "inaccuracy", "mistake", "blunder"]

# Losses in expected score (1 for beating everybody, 0 for losing to everybody), the worst first.
THRESHOLDS: Final[tuple[tuple[float, Verdict], ...]] = (
    (0.10, "blunder"),
    (0.05, "mistake"),
    (0.03, "inaccuracy"),
)
NAMES: Final[tuple[Verdict, ...]] = tuple([name for _, name in THRESHOLDS])
SURE: Final = 2.0  # standard errors that a loss has to be away from none


def verdict(loss: float, error: float) -> Verdict:
    """The worst name whose threshold the loss reaches; none for a loss that could be none."""
    if loss < SURE * error:
        return ""
    return next((name for least, name in THRESHOLDS if loss >= least), "")

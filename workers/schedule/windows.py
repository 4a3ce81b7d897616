"""How tournaments that share a run share its window."""

from __future__ import annotations

from collections.abc import Mapping


def fair_windows(
    window: int, wanted: Mapping[int, int], weights: Mapping[int, float]
) -> dict[int, int]:
    """Splits a window of so many matches in proportion to weights; what one tournament does not
    want falls to the others (max-min fairness). Everyone gets at least 1.

    `wanted`: matches that each has to play, by tournament.
    """
    windows: dict[int, int] = {}
    left, weight = float(window), sum(weights[each] for each in wanted)
    # First those that want least for their weight: what they leave is there for all that follow.
    for tournament in sorted(wanted, key=lambda each: (wanted[each] / weights[each], each)):
        share = left * weights[tournament] / weight
        windows[tournament] = max(1, min(wanted[tournament], round(share)))
        left = max(0.0, left - windows[tournament])
        weight -= weights[tournament]
    return windows

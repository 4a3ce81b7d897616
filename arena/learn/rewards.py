"""What a finished match is worth to each seat."""

from __future__ import annotations

from collections.abc import Sequence


def rewards(ranks: Sequence[int]) -> list[float]:
    """By seat, from the ranks by seat: the share of the other seats that it beat, minus the share
    that beat it. So the winner of a match gets 1, the last -1, ties share; the sum is 0."""
    others = len(ranks) - 1
    return [(sum(rank > own for rank in ranks) - sum(rank < own for rank in ranks)) / others
            for own in ranks]  # fmt: skip

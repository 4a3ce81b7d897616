"""Ranks in sorted lists."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def shared_ranks(keys: Sequence[Hashable]) -> list[int]:
    """Ranks from 1 for lines sorted by these keys; equal keys share the better rank."""
    ranks: list[int] = []
    for place, key in enumerate(keys):
        same = place > 0 and key == keys[place - 1]
        ranks.append(ranks[-1] if same else place + 1)
    return ranks

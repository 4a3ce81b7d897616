"""The columns of what the deciding seat knows: built up as a whitelist, as views are.

A column for a seat ends with how many places to the left of the deciding seat it sits: "points +0"
are one's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from arena.games.batch.arrays import Int

# Names of columns, and their values: (N, columns), or more axes in the order of the names.
Known: TypeAlias = list[tuple[Sequence[str], Int]]


def by_place(seats: int, names: Sequence[str]) -> list[str]:
    """The names of columns that there are for every seat, nearest first."""
    return [f"{name} +{place}" for place in range(seats) for name in names]

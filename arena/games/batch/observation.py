"""Columns of observations, built from permitted parts, like views.

The name of a column for a seat ends with its distance to the left of the deciding seat: "points +0"
are the deciding seat's points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from arena.games.batch.arrays import Int

# Names of columns, and their values (N, columns), or with more axes in the order of the names.
Known: TypeAlias = list[tuple[Sequence[str], Int]]


def by_place(seats: int, names: Sequence[str]) -> list[str]:
    """Returns the names of columns for every seat, nearest first."""
    return [f"{name} +{place}" for place in range(seats) for name in names]

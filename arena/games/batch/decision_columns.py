"""The interface of decision batches from an arena."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from arena.games.batch.arrays import Int, UInt8


@runtime_checkable
class DecisionColumns(Protocol):
    """Decisions of one game and number of seats, such as `arena.sdk.Decisions`."""

    game: str
    seats: int
    options: Mapping[str, str]

    def __len__(self) -> int: ...

    def column(self, name: str) -> UInt8:
        """Returns a field of View for all decisions, (N, …)."""

    def played(self) -> tuple[Int, UInt8]:
        """Returns the public moves of all rounds: the decision of each (M,), and its bytes
        (M, bytes)."""

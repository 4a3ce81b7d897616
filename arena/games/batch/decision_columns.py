"""What is known of decisions that bots are asked in an arena."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from arena.games.batch.arrays import Int, UInt8


@runtime_checkable
class DecisionColumns(Protocol):
    """Decisions of one game at one number of seats, as `arena.sdk.Decisions` has them."""

    game: str
    seats: int
    options: Mapping[str, str]

    def __len__(self) -> int: ...

    def column(self, name: str) -> UInt8:
        """What all decisions say of one of View's fields: (N, …)."""

    def played(self) -> tuple[Int, UInt8]:
        """The public moves of all rounds: whose decision each belongs to (M,), and its bytes
        (M, bytes)."""

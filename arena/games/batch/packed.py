"""Packed views as arrays, and lists of views packed for `Games.seen` and `resumed`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arena.games.batch.arrays import Bool, Int, UInt8
from arena.games.batch.errors import BadBatch
from arena.games.rules import game_class
from arena.games.rules.packed import Layout, layout_of
from arena.games.rules.view import View

TWO_BYTES = ("moves", "number", "round")
SEVERAL = ("match", "indices", "dice", "stage")  # fields with an additional axis of any length


def column_of(layout: Layout, rows: UInt8, name: str) -> Int:
    """Returns a field of View from packed rows (N, bytes), as numbers: (N,), or (N, …) for fields
    by seat or by card. Raises KeyError for other names."""
    columns = rows[:, layout.columns[name]]
    if name in TWO_BYTES:
        both: Int = columns[:, 0] | columns[:, 1].astype(np.uint16) << 8
        return both
    if name == "rows":
        return columns.reshape(len(rows), layout.seats, -1)
    if name in SEVERAL or columns.shape[1] > 1:
        return columns
    return columns[:, 0]


def moves_of(layout: Layout, moves: bytes, ends: Sequence[int]) -> tuple[Int, UInt8]:
    """Returns the decision of each packed move (M,), and its bytes (M, bytes of a move)."""
    size = layout.kind.move_bytes
    whose = np.repeat(np.arange(len(ends) - 1), np.diff(ends) // size)
    return whose, np.frombuffer(moves, np.uint8).reshape(-1, size)


def legal_in(layout: Layout, rows: UInt8) -> Bool:
    """Returns whether each action of the game is legal, (N, actions)."""
    # Wide enough for NONE, which marks unused places.
    legal = np.zeros((len(rows), 256), np.bool_)
    legal[np.arange(len(rows))[:, None], column_of(layout, rows, "indices")] = True
    return legal[:, : len(layout.kind.notation)]


class PackedViews:
    """Views of one game, number of seats and options, as DecisionColumns.

    For programs that have views only, such as the review of matches.
    """

    game: str
    seats: int
    options: Mapping[str, str]

    def __init__(self, views: Sequence[View]) -> None:
        """Raises BadPacking, or BadBatch without views or for views of different tables."""
        kinds = {(view.game, view.seats, tuple(sorted(view.options.items()))) for view in views}
        if len(kinds) != 1:
            raise BadBatch("The views must have the same game, number of seats and options.")
        first = views[0]
        self.game, self.seats, self.options = first.game, first.seats, first.options
        self._layout = layout_of(game_class(first.game), first.seats)
        packed = [self._layout.pack(view) for view in views]
        rows = b"".join([row for row, _ in packed])
        self._moves = b"".join([moves for _, moves in packed])
        self._ends = self._layout.moves_ends(rows, self._moves)
        self._rows = np.frombuffer(rows, np.uint8).reshape(len(packed), -1)

    def __len__(self) -> int:
        return len(self._rows)

    def column(self, name: str) -> Any:
        return column_of(self._layout, self._rows, name)

    def played(self) -> tuple[Int, UInt8]:
        return moves_of(self._layout, self._moves, self._ends)

    def legal(self) -> Bool:
        """Returns whether each action of the game is legal, (N, actions)."""
        return legal_in(self._layout, self._rows)

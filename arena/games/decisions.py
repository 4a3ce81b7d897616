"""Batches of decisions, for bots that answer them together and for `arena.games.batch`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, overload

from arena.games.rules import game_class
from arena.games.rules.errors import BadPacking
from arena.games.rules.packed import Layout, layout_of
from arena.games.rules.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TWO_BYTES = ("moves", "number", "round")
SEVERAL = ("match", "indices", "dice", "stage")  # fields with an additional axis of any length


class Decisions(Sequence[View]):
    """Decisions of one game and number of seats, as a sequence of views and as arrays.

    `decisions[0]` is a View. The array methods need NumPy, and their results are read-only:
    `column("points")` has the points of all seats in all decisions, `legal()` the legal actions.
    `arena.games.batch.observe(decisions)` has the columns used for training.
    """

    def __init__(
        self,
        game: str,
        seats: int,
        options: Mapping[str, str],
        rows: bytes,
        moves: bytes,
        key: bytes = b"",
    ) -> None:
        """Takes packed decisions in the format of `arena.games.rules.packed`. Raises BadPacking."""
        self.game, self.seats, self.options = game, seats, options
        self.layout: Layout = layout_of(game_class(game), seats)
        self.rows, self.moves = rows, moves  # of all decisions, concatenated
        self._ends = self.layout.moves_ends(rows, moves)
        self._key = key

    @classmethod
    def of(cls, views: Sequence[View]) -> Self:
        """Packs one or more views of the same game and number of seats. Raises BadPacking."""
        if not views:
            raise BadPacking("There are no views to pack. Give at least one.")
        first = views[0]
        layout = layout_of(game_class(first.game), first.seats)
        packed = [layout.pack(view) for view in views]
        rows = b"".join([row for row, _ in packed])
        moves = b"".join([moves for _, moves in packed])
        return cls(first.game, first.seats, first.options, rows, moves, first.key)

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, place: int) -> View: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[View]: ...
    def __getitem__(self, place: int | slice) -> View | Sequence[View]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number, width = range(len(self))[place], self.layout.width
        row = self.rows[number * width : (number + 1) * width]
        moves = self.moves[self._ends[number] : self._ends[number + 1]]
        return self.layout.unpack(row, moves, self.options, self._key)

    # As arrays

    def array(self) -> NDArray[np.uint8]:
        """Returns all rows, (N, bytes of a row). `layout.columns` describes the bytes."""
        import numpy as np

        return np.frombuffer(self.rows, np.uint8).reshape(len(self), self.layout.width)

    def column(self, name: str) -> NDArray[Any]:
        """Returns a field of View for all decisions as numbers: (N,), or (N, …) for fields by seat
        or by card. `moves` gives the number of bytes of moves. Raises KeyError for other names."""
        columns = self.array()[:, self.layout.columns[name]]
        if name in TWO_BYTES:
            both: NDArray[Any] = columns[:, 0] | columns[:, 1].astype("u2") << 8
            return both
        if name == "rows":
            return columns.reshape(len(self), self.seats, -1)
        if name in SEVERAL or columns.shape[1] > 1:
            return columns
        return columns[:, 0]

    def played(self) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
        """Returns the public moves of all rounds, oldest first: the decision of each (M,), and its
        bytes (M, bytes of a move), starting with the seat and the action."""
        import numpy as np

        size = self.layout.kind.move_bytes
        whose = np.repeat(np.arange(len(self)), np.diff(self._ends) // size)
        return whose, np.frombuffer(self.moves, np.uint8).reshape(-1, size)

    def legal(self) -> NDArray[np.bool_]:
        """Returns whether each action of the game is legal, (N, actions)."""
        import numpy as np

        # Wide enough for NONE, which marks unused places.
        legal = np.zeros((len(self), 256), np.bool_)
        legal[np.arange(len(self))[:, None], self.column("indices")] = True
        return legal[:, : len(self.layout.kind.notation)]

"""Many decisions at once, for a bot that answers them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, overload

from arena.games.rules import game_class
from arena.games.rules.packed import Layout, layout_of
from arena.games.rules.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arena.protocol.v1 import play_pb2 as pb


class Decisions(Sequence[View]):
    """Decisions of one game at one number of seats: views, and what they say as arrays.

    `decisions[0]` is a View. The arrays need NumPy, and are read-only: `column("points")` has the
    points of all seats in all decisions, `legal()` which actions are legal in which, and
    `arena.games.batch.observe(decisions)` the columns that `arena.games.batch` trains with.
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
        """From packed decisions, as `arena.games.rules.packed` has them. Raises BadPacking."""
        self.game, self.seats, self.options = game, seats, options
        self.layout: Layout = layout_of(game_class(game), seats)
        self.rows, self.moves = rows, moves  # of all, one after the other
        self._ends = self.layout.moves_ends(rows, moves)
        self._key = key

    @classmethod
    def received(cls, message: pb.PackedDecisions, key: bytes) -> Self:
        """From the message in which they came. Raises BadPacking."""
        options = dict(message.options)
        return cls(message.game, message.seats, options, message.rows, message.moves, key)

    @classmethod
    def of(cls, views: Sequence[View]) -> Self:
        """From views of one game at one number of seats, at least one. Raises BadPacking."""
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
        """All rows: (N, bytes of a row). What the bytes mean, `layout.columns` says."""
        import numpy as np

        return np.frombuffer(self.rows, np.uint8).reshape(len(self), self.layout.width)

    def column(self, name: str) -> NDArray[Any]:
        """What all decisions say of one of View's fields, as numbers: (N,), or (N, …) for what is
        by seat or by card. `moves`: how many bytes of moves there are. KeyError for others."""
        from arena.games.batch.packed import column_of

        return column_of(self.layout, self.array(), name)

    def played(self) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
        """The public moves of all rounds, oldest first: whose decision each belongs to (M,), and
        its bytes (M, bytes of a move), which begin with the seat and the action."""
        from arena.games.batch.packed import moves_of

        return moves_of(self.layout, self.moves, self._ends)

    def legal(self) -> NDArray[np.bool_]:
        """Whether each action of the game is legal: (N, actions)."""
        from arena.games.batch.packed import legal_in

        return legal_in(self.layout, self.array())

"""Packed views: a row of bytes of fixed width for each, and the public moves of its round.

Rows of many views form an array that training code can read without parsing single views.
`Layout.columns` has the byte ranges by the names of View's fields. Two-byte numbers have their low
byte first. Cards, phases and actions are indices into `kinds`, `phases` and `notation` of the
game's class.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import chain
from struct import error as struct_error
from struct import unpack
from typing import Any, Final

from arena.games.rules.cards import in_words, named
from arena.games.rules.errors import BadPacking
from arena.games.rules.game import Game
from arena.games.rules.rows import MATCH, NONE, POOL, STAGE, match_bytes, padded
from arena.games.rules.view import View

KEPT: Final = 16_384  # size of the caches of recurring values

# The start of each row, the same in all games: the number of bytes of the moves, then columns.
HEAD: Final = (
    ("moves", 2),
    ("match", MATCH),
    ("number", 2),
    ("round", 2),
    ("ask", 1),
    ("seat", 1),
    ("starter", 1),
    ("penalty", 1),
    ("start", 1),
    ("top", 1),
    ("pile", 1),
)
# Offsets of some of them.
NUMBER: Final = 2 + MATCH
ASK: Final = NUMBER + 4
BY_SEAT: Final = ASK + 7


class Layout:
    """The layout of a game's rows at `seats` seats."""

    def __init__(self, kind: type[Game], seats: int) -> None:
        """Raises BadPacking for a game whose views cannot be packed."""
        if not kind.most_legal:
            raise BadPacking(f"Decisions of {kind.title} cannot be packed.")
        self.kind, self.seats = kind, kind.check_seats(seats)
        by_seat = [(name, seats) for name in ("active", "hand_sizes", "points")]
        held = ("hand", len(kind.kinds))
        self._more_columns = kind.more_columns(seats)
        columns = [*HEAD, *by_seat, held, ("indices", kind.most_legal), *self._more_columns]
        self.columns: dict[str, slice] = {}  # by name: the range in a row
        self.width = 0  # bytes of a row
        for name, width in columns:
            self.columns[name] = slice(self.width, self.width + width)
            self.width += width
        self._texts = {
            seat | action << 8: said
            for seat, texts in enumerate(kind.move_texts)
            for action, said in enumerate(texts)
        }
        self._hand: int = self.columns["hand"].start
        self._indices: int = self.columns["indices"].start

    # Moves

    def moves_text(self, moves: bytes) -> str:
        """Returns packed moves as text, as in View.moves. Raises BadPacking."""
        kind = self.kind
        size = kind.move_bytes
        try:
            if size == 2:
                texts = self._texts
                return ", ".join([texts[code] for code in unpack(f"<{len(moves) // 2}H", moves)])
            return ", ".join(
                [_with_dice(kind, moves[at : at + size]) for at in range(0, len(moves), size)]
            )
        except (LookupError, ValueError, struct_error) as error:
            raise BadPacking(f"These bytes are not moves of {kind.title}.") from error

    def move_codes(self, moves: str) -> bytes:
        """Returns the moves of a view in bytes. Raises BadPacking."""
        kind = self.kind
        return b"".join([_code(kind, move) for move in moves.split(", ")]) if moves else b""

    # Whole views

    def pack(self, view: View) -> tuple[bytes, bytes]:
        """Returns a view's row, and its moves. Raises BadPacking if a number is too large."""
        kind, codes = self.kind, self.move_codes(view.moves)
        try:
            head = [
                kind.phases.index(view.ask),
                *(view.seat, view.starter, view.penalty),
                *(_card(kind, view.start), _card(kind, view.top), view.pile),
            ]
            row = b"".join(
                (
                    len(codes).to_bytes(2, "little"),
                    match_bytes(view.match),
                    view.number.to_bytes(2, "little"),
                    view.round.to_bytes(2, "little"),
                    bytes([*head, *view.active, *view.hand_sizes, *view.points]),
                    _counts(kind, view.hand),
                    padded(view.indices, kind.most_legal),
                    self._more(view),
                )
            )
        except (ValueError, OverflowError) as error:
            raise BadPacking(
                f"A decision of {kind.title} does not fit into a row: {error}."
            ) from None
        if view.game != kind.name or len(row) != self.width:
            raise BadPacking(f"The view is not of {kind.title} at {self.seats} seats.")
        return row, codes

    def _more(self, view: View) -> bytes:
        kind, parts = self.kind, []
        for name, width in self._more_columns:
            value: Any = getattr(view, name)
            if name == "rows":
                parts.append(b"".join([_counts(kind, row) for row in value]))
            elif name == "llama_row":
                parts.append(_counts(kind, value))
            elif name == "dice":
                parts.append(padded(tuple([kind.kinds.index(die) for die in value]), width))
            elif name == "magic":
                parts.append(bytes([{"pool": POOL, "stage": STAGE}.get(value) or int(value)]))
            else:
                parts.append(bytes(value))
        return b"".join(parts)

    def moves_ends(self, rows: bytes, moves: bytes) -> list[int]:
        """Returns the offset at which each row's moves start, and the end of the last one's. Raises
        BadPacking if rows and moves do not belong together."""
        width = self.width
        low, high = rows[::width], rows[1::width]
        ends, end = [0], 0
        for place in range(len(low)):
            end += low[place] | high[place] << 8
            ends.append(end)
        if len(rows) % width or end != len(moves):
            raise BadPacking(f"These bytes are not rows of {self.kind.title}, {self.seats} seats.")
        return ends

    def unpack_all(
        self, rows: bytes, moves: bytes, options: Mapping[str, str], key: bytes
    ) -> list[View]:
        """Returns the views of many rows. Raises BadPacking."""
        width, ends = self.width, self.moves_ends(rows, moves)
        return [
            self.unpack(
                rows[place * width : (place + 1) * width],
                moves[ends[place] : ends[place + 1]],
                options,
                key,
            )
            for place in range(len(ends) - 1)
        ]

    def unpack(self, row: bytes, moves: bytes, options: Mapping[str, str], key: bytes) -> View:
        """Returns the view of a row, for a bot with this key. Raises BadPacking."""
        kind = self.kind
        if len(row) != self.width:
            raise BadPacking(f"A row of {kind.title} at {self.seats} seats has {self.width} bytes.")
        active, hand, offer = BY_SEAT, self._hand, self._indices
        sizes, points = active + self.seats, active + 2 * self.seats
        ask, start, top = row[ASK], row[ASK + 4], row[ASK + 5]
        indices = _offered(row[offer : offer + kind.most_legal])
        try:
            return View(
                _match(row[2:NUMBER]),
                row[NUMBER] | row[NUMBER + 1] << 8,
                kind.name,
                options,
                row[NUMBER + 2] | row[NUMBER + 3] << 8,
                kind.phases[ask],
                row[ASK + 1],
                row[ASK + 2],
                _held(kind.kinds, row[hand:offer]),
                row[ASK + 3],
                tuple(row[sizes:points]),
                _flags(row[active:sizes]),
                tuple(row[points:hand]),
                "" if start == NONE else kind.kinds[start],
                "" if top == NONE else kind.kinds[top],
                row[ASK + 6],
                self.moves_text(moves),
                in_words(kind.notation, indices),
                indices,
                *(*(self._unpacked_more(row) if self._more_columns else NO_MORE), key),
            )
        except (IndexError, UnicodeDecodeError) as error:
            raise BadPacking(f"This is not a row of {kind.title} at {self.seats} seats.") from error

    def _unpacked_more(self, row: bytes) -> tuple[Any, ...]:
        """Returns the fields of a view from `whites` to `magic`."""
        kinds = self.kind.kinds
        columns = {name: self._column(row, name) for name, _ in self._more_columns}
        whites, blacks = tuple(columns["whites"]), tuple(columns["blacks"])
        if "magic" in columns:
            at = columns["magic"][0]
            magic = {POOL: "pool", STAGE: "stage"}.get(at) or str(at)
            return whites, blacks, (), (), (), tuple(columns["stage"]), magic
        held, width = columns["rows"], len(kinds)
        rows = [_held(kinds, held[at : at + width]) for at in range(0, len(held), width)]
        dice = tuple([kinds[die] for die in _offered(columns["dice"])])
        return whites, blacks, tuple(rows), _held(kinds, columns["llama_row"]), dice, (), ""

    def _column(self, row: bytes, name: str) -> bytes:
        column = self.columns[name]
        start: int = column.start
        stop: int = column.stop
        return row[start:stop]


NO_MORE: Final[tuple[Any, ...]] = ((), (), (), (), (), (), "")


_LAYOUTS: Final[dict[tuple[type[Game], int], Layout]] = {}


def layout_of(kind: type[Game], seats: int) -> Layout:
    """Returns the cached layout of a game's rows. Raises BadPacking and BadSeats."""
    layout = _LAYOUTS.get((kind, seats))
    if layout is None:
        layout = _LAYOUTS[kind, seats] = Layout(kind, seats)
    return layout


def _counts(kind: type[Game], cards: tuple[str, ...]) -> bytes:
    return bytes([cards.count(card) for card in kind.kinds])


def _card(kind: type[Game], card: str) -> int:
    return kind.kinds.index(card) if card else NONE


def _code(kind: type[Game], move: str) -> bytes:
    seat, *words = move.split(" ")
    try:
        if words[0] == "roll":
            dice = [kind.kinds.index(die) for die in words[1:]]
            return bytes([int(seat), kind.action_index["roll"], *dice])
        return bytes([int(seat), kind.action_index[" ".join(words)]]).ljust(
            kind.move_bytes, b"\xff"
        )
    except (KeyError, ValueError, IndexError) as error:
        raise BadPacking(f"{move[:40]!r} is not a move of {kind.title}.") from error


def _with_dice(kind: type[Game], code: bytes) -> str:
    said = kind.move_texts[code[0]][code[1]]
    return " ".join([said, *[kind.kinds[die] for die in code[2:] if die != NONE]])


@lru_cache(KEPT)
def _match(match: bytes) -> str:
    return match.rstrip(b"\0").decode("ascii")


@lru_cache(KEPT)
def _held(kinds: tuple[str, ...], counts: bytes) -> tuple[str, ...]:
    return named(kinds, tuple(counts))


@lru_cache(64)
def _flags(flags: bytes) -> tuple[bool, ...]:
    return tuple([bool(flag) for flag in flags])


@lru_cache(KEPT)
def _offered(indices: bytes) -> tuple[int, ...]:
    return tuple(chain.from_iterable([indices.rstrip(b"\xff")]))

"""The schemas of puzzles in the API document."""

from __future__ import annotations

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from arena.games.rules import GAMES
from arena.store.reviews.puzzles import StoredPuzzle
from dashboard.api.parameters import choice
from dashboard.api.shape import Many, Shape


class PuzzlePosition(TypedDict):
    """The decision, with the fields of the view that the bot got (see the SDK), but without the
    match. `actions` are the legal actions."""

    options: dict[str, str]
    round: int
    ask: str
    seat: int
    starter: int
    hand: list[str]
    penalty: int
    hand_sizes: list[int]
    active: list[bool]
    points: list[int]
    start: str
    top: str
    pile: int
    moves: str
    actions: list[str]
    whites: list[int]
    blacks: list[int]
    rows: list[list[str]]
    llama_row: list[str]
    dice: list[str]
    stage: list[int]
    magic: str


POSITION = Shape("PuzzlePosition", PuzzlePosition)
ANSWER = ("match", "number", "seat", "alternatives")
LINE = Shape(
    "PuzzleLine",
    StoredPuzzle,
    about="A puzzle with its Elo rating. `attempts` counts rated answers, `solved` the right ones.",
    hidden=ANSWER,
)
PUZZLES = Shape(
    "Puzzles",
    about="Puzzles of finished tournaments, in the order of their numbers.",
    more={"puzzles": Many(LINE), "next": str},
)
PUZZLE = Shape(
    "Puzzle",
    StoredPuzzle,
    about="A puzzle with its position, without the answer.",
    hidden=ANSWER,
    more={"position": POSITION},
)
GAME = choice("game", "Only puzzles of this game.", GAMES)

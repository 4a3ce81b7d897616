"""The schema of a round's states in the API document; `drawing` produces them."""

from __future__ import annotations

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from arena.games.match import FaultKind
from arena.games.rules.game import MOST_SEATS
from dashboard.api.parameters import choice, number
from dashboard.api.shape import Many, Shape
from dashboard.matches.replay.states import State


class ReplayFault(TypedDict):
    """A fault. The reason is empty if it would reveal something that the seat cannot know."""

    kind: FaultKind
    reason: str


class ReplayMove(TypedDict):
    """A move. `drawn` are the visible cards that came from the pile.

    `latency_us` is null for forced moves, and where it must stay secret.
    """

    number: int
    seat: int
    action: str
    dice: list[str]
    drawn: list[str]
    latency_us: int | None
    fault: ReplayFault | None
    forfeited: bool


STATE = Shape(
    "ReplayState",
    State,
    hidden=("action", "judged", "note"),
    sometimes=("drawn",),
    more={"move": ReplayMove | None, "said": str, "drawn": dict[str, int]},
)
REPLAY = Shape(
    "Replay",
    about=(
        "The states of one of the `rounds`. `eyes` is the seat that sees them, or null for all"
        " seats. `drawn` refers to pieces of HTML by their index in `pieces`."
    ),
    sometimes=("pieces", "moves"),
    more={
        "match": str,
        "game": str,
        "seats": list[str],
        "eyes": int | None,
        "round": int,
        "rounds": int,
        "states": Many(STATE),
        "pieces": list[str],
        "moves": str,
    },
)
ROUND = number("round", "A round of the match. 404 if it was not played.", 1, default=1)
SEAT = number(
    "seat",
    "Show only information that this seat has. Default: everything. 404 for an unknown seat.",
    0,
    MOST_SEATS - 1,
)
DRAWN = choice("drawn", "1: include the HTML that the replay shows.", (0, 1), 0)

"""The states of a round as the document of /api describes them; `drawing` makes them."""

from __future__ import annotations

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from arena.games.match import FaultKind
from arena.games.rules.game import MOST_SEATS
from dashboard.api.parameters import choice, number
from dashboard.api.shape import Many, Shape
from dashboard.matches.replay.states import State


class ReplayFault(TypedDict):
    """A fault; the reason is empty where it would tell what the seat could not know."""

    kind: FaultKind
    reason: str


class ReplayMove(TypedDict):
    """A move: `drawn` are cards that came from the pile, as far as they are seen.

    `latency_us` is null where the rules left no choice, and where it must stay secret.
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
    hidden=("action", "judged"),
    sometimes=("drawn",),
    more={"move": ReplayMove | None, "said": str, "drawn": dict[str, int]},
)
REPLAY = Shape(
    "Replay",
    about=(
        "The states of one of the `rounds`; `eyes` is the seat they are seen by, null for all."
        " Drawn states name pieces of HTML by their places in `pieces`."
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
ROUND = number("round", "A round of the match. 404 for one that was not played.", 1, default=1)
SEAT = number(
    "seat",
    "The seat whose eyes it is seen by; without it all is seen. 404 for one that no bot had.",
    0,
    MOST_SEATS - 1,
)
DRAWN = choice("drawn", "1: also as the HTML that the replay shows.", (0, 1), 0)

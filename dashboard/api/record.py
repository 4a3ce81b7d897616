"""The record of a match as the document describes it.

`arena.games.record.export` makes records. docs/data.md describes their fields.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from arena.games.match import FaultKind


class RecordSeat(TypedDict):
    """Who sat at a seat, in which version."""

    bot: str
    version: str


class RecordMove(TypedDict):
    """One move.

    `latency_us` stands where a bot was asked, `fault` where the default action was played
    instead of its answer, `forfeited` where its seat had forfeited, `dice` where it is a roll.
    """

    seat: int
    action: str
    latency_us: NotRequired[int]
    fault: NotRequired[FaultKind]
    forfeited: NotRequired[Literal[True]]
    dice: NotRequired[list[str]]


class RecordRound(TypedDict):
    """One round; lists are by seat.

    Games with hands have `hands` as dealt, the start card `top` and the `pile`, the card that is
    drawn first at its beginning; Dice has the `rows` before the seats. `penalties` were scored
    at the end, `points` held then.
    """

    starter: int
    hands: NotRequired[list[list[str]]]
    top: NotRequired[str]
    pile: NotRequired[list[str]]
    rows: NotRequired[list[list[str]]]
    moves: list[RecordMove]
    penalties: list[int]
    points: list[int]


class RecordResult(TypedDict):
    """How it ended, by seat; `faults` has the fault by which a seat forfeited."""

    points: list[int]
    ranks: list[int]
    winners: list[int]
    faults: list[FaultKind | None]


class MatchRecord(TypedDict):
    """All of a match: it can be played again from `seed` and moves, and compared."""

    format: Literal["lama-arena/match/1"]
    id: str
    game: str
    ruleset: str
    options: dict[str, str]
    seed: str
    seats: list[RecordSeat]
    rounds: list[RecordRound]
    result: RecordResult

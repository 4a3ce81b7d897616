"""The type of a match record, made by `arena.games.record.export`, see docs/data.md."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from arena.games.match import FaultKind


class RecordSeat(TypedDict):
    """The bot at a seat, with its version."""

    bot: str
    version: str


class RecordMove(TypedDict):
    """One move.

    `latency_us` is present if a bot was asked, `fault` if the default action was played instead of
    its answer, `forfeited` if its seat had forfeited, and `dice` for a roll.
    """

    seat: int
    action: str
    latency_us: NotRequired[int]
    fault: NotRequired[FaultKind]
    forfeited: NotRequired[Literal[True]]
    dice: NotRequired[list[str]]


class RecordRound(TypedDict):
    """One round; lists are by seat.

    Games with hands have the `hands` as dealt, the start card `top` and the `pile`, whose first
    card is drawn first. Dice has the `rows` of the seats. `penalties` were scored at the end of
    the round, `points` are the totals after it.
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
    """The result by seat; `faults` includes the fault by which a seat forfeited."""

    points: list[int]
    ranks: list[int]
    winners: list[int]
    faults: list[FaultKind | None]


class MatchRecord(TypedDict):
    """A complete match, which can be replayed and verified from `seed` and moves."""

    format: Literal["lama-arena/match/1"]
    id: str
    game: str
    ruleset: str
    options: dict[str, str]
    seed: str
    seats: list[RecordSeat]
    rounds: list[RecordRound]
    result: RecordResult

"""Where a bot loses score, as the document of /api describes it."""

from __future__ import annotations

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12


class LeakAnswers(TypedDict):
    """What another player does in the same decisions: of so many `asked`, in how many it chooses
    the `same` action, and the `better` one."""

    asked: int
    same: int
    better: int


class Leak(TypedDict):
    """Decisions of one kind in which a bot lost score.

    The kind is the `phase`, the action `chosen` and the `best` one, `points` and `cards` in hand,
    and the `seats` at the table. `lost` is the sum over so many `times` and `matches`, `each` the
    mean, with its standard `error`. The decision `number` of `match` is an example. `others` has
    house bots by name.
    """

    phase: str
    chosen: str
    best: str
    points: str
    cards: str
    seats: int
    times: int
    matches: int
    lost: float
    each: float
    error: float
    match: str
    number: int
    others: dict[str, LeakAnswers]

"""Decisions of many matches as arrays, a row each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray


@dataclass(slots=True)
class Rows:
    """Decisions in the order of matches: columns whose first axis is the decision."""

    match: NDArray[Any]  # its number
    number: NDArray[Any]  # of the decision in the match, forced ones counted
    seat: NDArray[Any]
    bot: NDArray[Any]  # its number among the bots
    observation: NDArray[Any]  # (N, C): what the seat saw, as `arena.games.batch.observe` has it
    legal: NDArray[Any]  # (N, A): which actions were legal
    action: NDArray[Any]  # what was done: an index in the game's notation
    points: NDArray[Any]  # of the seat at the end of the match
    rank: NDArray[Any]  # of the seat at the end of the match, from 1


@dataclass(slots=True)
class Played:
    """Some matches. Decisions at which a bot had a fault are not among the rows."""

    rows: Rows
    faults: list[tuple[int, str]] = field(default_factory=list)  # the bot's number and the reason

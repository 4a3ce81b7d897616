"""Decisions of many matches as arrays, one row for each decision."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray


@dataclass(slots=True)
class Rows:
    """Decisions in the order of matches, as columns whose first axis is the decision."""

    match: NDArray[Any]  # number of the match
    number: NDArray[Any]  # number of the decision in the match, including forced ones
    seat: NDArray[Any]
    bot: NDArray[Any]  # number of the bot
    observation: NDArray[Any]  # (N, C): the seat's observation, see `arena.games.batch.observe`
    legal: NDArray[Any]  # (N, A): legal actions
    action: NDArray[Any]  # the action taken, as an index into the game's notation
    points: NDArray[Any]  # of the seat at the end of the match
    rank: NDArray[Any]  # of the seat at the end of the match, from 1


@dataclass(slots=True)
class Played:
    """Finished matches. Decisions with a fault of the bot are not in the rows."""

    rows: Rows
    faults: list[tuple[int, str]] = field(default_factory=list)  # the bot's number and the reason

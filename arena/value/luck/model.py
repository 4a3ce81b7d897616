"""Data types of the luck in a match."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

Kind: TypeAlias = Literal["deal", "draw", "roll"]
KINDS: tuple[Kind, ...] = get_args(Kind)
DEAL, DRAW, ROLL = KINDS

UNIT = 1_000_000  # one pair score of luck; sums of whole numbers are exact
Pairs: TypeAlias = npt.NDArray[np.int32]  # (seats, seats), antisymmetric, in UNITs


def by_seat(pairs: Pairs) -> tuple[float, ...]:
    """Return each seat's luck: the mean over its opponents, in pair scores."""
    opponents = len(pairs) - 1
    return tuple((pairs.sum(axis=1) / (opponents * UNIT)).tolist())


class FinishedMatch(NamedTuple):
    """The stored data of a match."""

    id: str
    seed: bytes  # 16 bytes
    log: bytes  # from `arena.games.packed_log.pack`


class LuckEvent(NamedTuple):
    """A deal, draw or roll."""

    round: int  # from 1
    decision: int  # number of the decision that caused it; for a deal, the first one after it
    kind: Kind
    seat: int | None  # that drew or rolled, or was made to draw; None for a deal
    pairs: Pairs  # the gain of the row's seat against the column's seat


@dataclass(frozen=True, slots=True)
class MatchLuck:
    """The luck in one match."""

    net: str  # the version of the luck model; see `version_of`
    events: tuple[LuckEvent, ...]  # in their order
    total: Pairs  # the sum of all events

    @property
    def by_seat(self) -> tuple[float, ...]:
        """Each seat's luck: the mean over its opponents, in pair scores."""
        return by_seat(self.total)

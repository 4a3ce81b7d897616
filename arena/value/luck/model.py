"""What is known of the luck in a match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

Kind: TypeAlias = Literal["deal", "draw", "roll"]
KINDS: tuple[Kind, ...] = get_args(Kind)
DEAL, DRAW, ROLL = KINDS

UNIT = 1_000_000  # of luck: a whole pair score, so that sums of whole numbers are exact
Pairs: TypeAlias = npt.NDArray[np.int32]  # (seats, seats), antisymmetric, in UNITs


def by_seat(pairs: Pairs) -> tuple[float, ...]:
    """Each seat's part of some luck: the mean over its opponents, as a part of a pair score."""
    opponents = len(pairs) - 1
    return tuple((pairs.sum(axis=1) / (opponents * UNIT)).tolist())


class FinishedMatch(NamedTuple):
    """A match as it is stored."""

    id: str
    seed: bytes  # 16 bytes
    log: bytes  # as `arena.games.record.pack` makes it


class LuckEvent(NamedTuple):
    """Something that chance decided."""

    round: int  # from 1
    decision: int  # number of the decision that led to it; of a deal, the first one after it
    kind: Kind
    seat: int | None  # who drew or rolled, or was made to draw; None for a deal
    pairs: Pairs  # how much better the seat of the row did by it against that of the column


@dataclass(frozen=True, slots=True)
class MatchLuck:
    """The luck in one match."""

    net: str  # the version of what valued it; see `version_of`
    events: tuple[LuckEvent, ...]  # in their order
    total: Pairs  # the sum of all events

    @property
    def by_seat(self) -> tuple[float, ...]:
        """Each seat's luck: the mean over its opponents, as a part of a pair score."""
        return by_seat(self.total)

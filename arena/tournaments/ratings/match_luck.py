"""The luck of a match: the contribution of chance to each seat's score.

At each chance event (a deal, a draw, a roll, the magic show), a luck model compares the expected
score of i against j after the actual outcome with its mean over all possible outcomes. The sum
of these differences over a match is the luck of i against j. Adjusted scores are scores minus luck.
Each term has mean 0 regardless of earlier events, and so has the sum, however bad the model. The
adjustment changes only the scatter of scores, not their mean.

The sum of a pair stops growing once it reaches 1 (a whole game) in either direction. This keeps the
mean at 0, because the stopping rule does not depend on later events. It also bounds the luck of a
match, as the sequential test requires (`sprt`).

Luck is stored in whole units, 2048 to a game and 1024 to a half-point, so that sums do not depend
on the order of matches.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from arena.tournaments.ratings.deal_sums import Integers
from arena.tournaments.ratings.luck_units import GAME as GAME
from arena.tournaments.ratings.luck_units import HALF as HALF
from arena.tournaments.ratings.luck_units import MOST as MOST

KINDS = ("deal", "draw", "roll", "magic")  # chance events in stored order; append new ones
STOPS = 1.0  # score at which a pair's sum stops growing

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MatchLuck:
    """The luck of a match, in units.

    `pairs` (n(n-1)/2,): luck of the first seat against the second (0 1, 0 2, ..., 1 2, ...).
    `kinds` (len(KINDS), n): each seat's luck by kind of event, summed over its opponents.
    """

    seats: int
    pairs: Integers
    kinds: Integers

    @property
    def by_seat(self) -> Integers:
        """The luck of each seat, summed over its opponents, (n,). The total is 0."""
        total = np.zeros(self.seats, dtype=np.int64)
        for units, (one, other) in zip(
            self.pairs.tolist(), combinations(range(self.seats), 2), strict=True
        ):
            total[one] += units
            total[other] -= units
        return total

    @property
    def scores(self) -> tuple[float, ...]:
        """The luck of each seat against its mean opponent, as a score: 0.4 is 40% of a game."""
        return tuple((self.by_seat / (GAME * max(self.seats - 1, 1))).tolist())


def totals(
    seats: int, count: int, match: Integers, kind: Integers, luck: NDArray[np.floating]
) -> list[MatchLuck]:
    """Returns the luck of matches 0 to `count` - 1, from their E chance events in order.

    `match` and `kind` (E,) are match numbers, ascending, and indices into KINDS. `luck`
    (E, n(n-1)/2) is the luck of the first seat of each pair against the second, as a score.
    """
    left, right = np.triu_indices(seats, 1)
    running = np.zeros((count, len(left)))
    kinds = np.zeros((count, len(KINDS), seats))
    ends = np.searchsorted(match, np.arange(count + 1))
    longest = int(np.diff(ends).max(initial=0))
    for place in range(longest):
        rows = np.flatnonzero(ends[:-1] + place < ends[1:])
        events = ends[rows] + place
        given = np.clip(luck[events].astype(np.float64), -1.0, 1.0)
        given[np.abs(running[rows]) >= STOPS] = 0.0
        running[rows] += given
        for pair, (one, other) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            kinds[rows, kind[events], one] += given[:, pair]
            kinds[rows, kind[events], other] -= given[:, pair]
    # Rounds half to even, without bias.
    found = zip(_units(running), _units(kinds), strict=True)
    return [MatchLuck(seats, pairs, by_kind) for pairs, by_kind in found]


def _units(scores: Floats) -> Integers:
    rounded: Integers = np.rint(scores * GAME).astype(np.int64)
    return rounded


def pack(luck: MatchLuck) -> bytes:
    """Returns two bytes for each number, little-endian: the pairs, then the seats by kind."""
    numbers = np.concatenate([luck.pairs, luck.kinds.ravel()])
    packed: bytes = np.clip(numbers, -32768, 32767).astype("<i2").tobytes()
    return packed


def unpack(seats: int, packed: bytes) -> MatchLuck:
    """Reverses `pack`. Raises ValueError if `packed` does not fit `seats`."""
    numbers = np.frombuffer(packed, "<i2").astype(np.int64)
    pairs = seats * (seats - 1) // 2
    kinds, rest = divmod(len(numbers) - pairs, seats)
    if kinds < 0 or rest or kinds > len(KINDS):
        raise ValueError(f"{len(packed)} bytes cannot be the luck of {seats} seats")
    by_kind = np.zeros((len(KINDS), seats), dtype=np.int64)
    by_kind[:kinds] = numbers[pairs:].reshape(kinds, seats)
    return MatchLuck(seats, numbers[:pairs], by_kind)


def matrix(pairs: Integers, seats: int) -> Integers:
    """Returns the antisymmetric matrices (..., n, n) of pairs (..., n(n-1)/2)."""
    whole = np.zeros((*pairs.shape[:-1], seats, seats), dtype=np.int64)
    for column, (one, other) in enumerate(combinations(range(seats), 2)):
        whole[..., one, other] = pairs[..., column]
        whole[..., other, one] = -pairs[..., column]
    return whole

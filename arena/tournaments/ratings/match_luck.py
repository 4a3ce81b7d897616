"""The luck of one match: what chance gave each seat, and by how much scores are corrected for it.

A luck model says at each chance event (a deal, a draw, a roll, the magic show) by how much the
score that i was to expect against j went up or down by what came, compared with the mean of what
could have come. The sum over a match is the luck of i against j; adjusted scores are scores less
this luck. Since each term has the mean 0 whatever was before, so has the sum, however bad the
model: correcting changes no mean score, only its scatter.

The sum of a pair stops growing once it is 1 or more in either direction (a whole game). That
keeps the mean, as leaving the table at a moment that nobody chose by the cards to come leaves a
fair game fair, and it bounds the luck of a match, which the sequential test needs (`sprt`).

Luck is kept in whole units, 2048 to a whole game and so 1024 to a half-point, so that sums do not
depend on the order in which matches come.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from arena.tournaments.ratings.deal_sums import Integers
from arena.tournaments.ratings.luck_units import GAME as GAME
from arena.tournaments.ratings.luck_units import HALF as HALF
from arena.tournaments.ratings.luck_units import MOST as MOST

KINDS = ("deal", "draw", "roll", "magic")  # what chance does; kept in this order, new ones last
STOPS = 1.0  # score at which a pair's sum stops growing

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MatchLuck:
    """In units: `pairs` (n(n-1)/2,) of the first seat against the second (0 1, 0 2, ..., 1 2, ...);
    `kinds` (len(KINDS), n) what each seat had from each kind of event, summed over its opponents.
    """

    seats: int
    pairs: Integers
    kinds: Integers

    @property
    def by_seat(self) -> Integers:
        """(n,): the luck of each seat, summed over its opponents; 0 in sum."""
        total = np.zeros(self.seats, dtype=np.int64)
        for units, (one, other) in zip(
            self.pairs.tolist(), combinations(range(self.seats), 2), strict=True
        ):
            total[one] += units
            total[other] -= units
        return total

    @property
    def scores(self) -> tuple[float, ...]:
        """By seat the luck against the mean opponent, as a score: 0.4 is 40% of a game."""
        return tuple((self.by_seat / (GAME * max(self.seats - 1, 1))).tolist())


def totals(
    seats: int, count: int, match: Integers, kind: Integers, luck: NDArray[np.floating]
) -> list[MatchLuck]:
    """The luck of matches number 0 to `count` - 1 from their chance events (E,), which are in the
    order of matches and, within them, of what happened.

    `kind` are indices into KINDS. `luck` (E, n(n-1)/2) is what an event gave the first seat of each
    pair against the second, as a score.
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
    # To the nearest even unit where it lies between two, as often up as down.
    found = zip(_units(running), _units(kinds), strict=True)
    return [MatchLuck(seats, pairs, by_kind) for pairs, by_kind in found]


def _units(scores: Floats) -> Integers:
    rounded: Integers = np.rint(scores * GAME).astype(np.int64)
    return rounded


def pack(luck: MatchLuck) -> bytes:
    """Two bytes for each number, little-endian: the pairs, then kind by kind the seats."""
    numbers = np.concatenate([luck.pairs, luck.kinds.ravel()])
    packed: bytes = np.clip(numbers, -32768, 32767).astype("<i2").tobytes()
    return packed


def unpack(seats: int, packed: bytes) -> MatchLuck:
    """The other way. Raises ValueError for what is no luck of so many seats."""
    numbers = np.frombuffer(packed, "<i2").astype(np.int64)
    pairs = seats * (seats - 1) // 2
    kinds, rest = divmod(len(numbers) - pairs, seats)
    if kinds < 0 or rest or kinds > len(KINDS):
        raise ValueError(f"{len(packed)} bytes are no luck of {seats} seats")
    by_kind = np.zeros((len(KINDS), seats), dtype=np.int64)
    by_kind[:kinds] = numbers[pairs:].reshape(kinds, seats)
    return MatchLuck(seats, numbers[:pairs], by_kind)


def matrix(pairs: Integers, seats: int) -> Integers:
    """(..., n, n), antisymmetric, of (..., n(n-1)/2)."""
    whole = np.zeros((*pairs.shape[:-1], seats, seats), dtype=np.int64)
    for column, (one, other) in enumerate(combinations(range(seats), 2)):
        whole[..., one, other] = pairs[..., column]
        whole[..., other, one] = -pairs[..., column]
    return whole

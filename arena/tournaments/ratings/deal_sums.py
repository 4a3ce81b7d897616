"""Integer sums over deals, from which ratings and their error bars are computed.

The matches of a deal, usually the rotations of a table, share their cards. So the independent unit
is the deal. For all deals of a *composition* (how often each pair meets), the following is stored,
each summed over the deals:

    the number of deals
    h_ij        half-points of i against j over a deal's matches: 2 for each match in which i
                did better, 1 for each in which they tied
    h_ij^2      its square
    s_i s_j     s_i = half-points of i against all others over a deal's matches

Sums of whole numbers do not depend on the order of deals. Incremental counting and recomputing
therefore give bit-identical results, and error bars need no access to single matches.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]

FORFEITED = 1 << 40  # exceeds all possible points


class SeatResults(NamedTuple):
    """One match by seat: players, penalty points, and whether each forfeited."""

    players: Sequence[int]
    points: Sequence[int]
    forfeited: Sequence[bool]


class Composition(NamedTuple):
    """How often each pair of players meets in a deal.

    `seats` is the number of seats of its matches, `players` (k) are ascending, and `meetings`
    (k(k-1)/2) counts the matches of each pair, in the order 0 1, 0 2, ..., 1 2, ....
    """

    seats: int
    players: tuple[int, ...]
    meetings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over deals of one composition: h and h^2 by pair, then s_i s_j for i <= j."""

    deals: int
    values: list[int]


@dataclass(frozen=True, slots=True)
class DealGroup:
    """All T compositions with the same numbers of seats and players k, as arrays.

    `players` (T, k), `meetings` (T, k(k-1)/2), `deals` (T,), `values` (T, k(k-1) + k(k+1)/2), as
    in Composition and Sums. Values are fractions if scores are luck-adjusted (`adjusted`).
    """

    seats: int
    players: Integers
    meetings: Integers
    deals: Integers
    values: Integers | NDArray[np.float64]

    @property
    def matches_per_deal(self) -> Integers:
        """The number of matches in a deal of each composition (T,)."""
        each: Integers = self.meetings.sum(axis=1) // (self.seats * (self.seats - 1) // 2)
        return each


def summarise(matches: Sequence[SeatResults]) -> tuple[Composition, Sums]:
    """Returns a deal's contribution to the sums. Raises ValueError without matches."""
    players = sorted({player for match in matches for player in match.players})
    if not players:
        raise ValueError("a deal has at least one match")
    rows = [_places(match, players) for match in matches]
    pairs = [_meet(rows, one, other) for one, other in pair_columns(len(players))]
    meetings = tuple(met for met, _ in pairs)
    halves = [won for _, won in pairs]
    squares = [won * won for won in halves]
    composition = Composition(len(matches[0].players), tuple(players), meetings)
    return composition, Sums(1, [*halves, *squares, *_products(len(players), pairs)])


def _places(match: SeatResults, players: Sequence[int]) -> list[int | None]:
    """Returns by player a number that is lower for a better place; None if absent."""
    seated = zip(match.players, match.points, match.forfeited, strict=True)
    # Forfeits rank below all others, as in `elo.score`.
    place = {player: points + (FORFEITED if out else 0) for player, points, out in seated}
    return [place.get(player) for player in players]


def _meet(rows: Sequence[Sequence[int | None]], one: int, other: int) -> tuple[int, int]:
    """Returns the number of matches in which two met, and the half-points of the first."""
    met = won = 0
    for row in rows:
        mine, theirs = row[one], row[other]
        if mine is not None and theirs is not None:
            met += 1
            won += 2 if mine < theirs else mine == theirs
    return met, won


def _products(players: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Returns s_i s_j for i <= j."""
    total = [0] * players
    for (one, other), (met, won) in zip(pair_columns(players), pairs, strict=True):
        total[one] += won
        total[other] += 2 * met - won
    return [total[i] * total[j] for i in range(players) for j in range(i, players)]


def pair_columns(players: int) -> Iterator[tuple[int, int]]:
    """Returns the pairs of k players in the column order of `meetings` and h."""
    return combinations(range(players), 2)

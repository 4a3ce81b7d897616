"""What playing each deal in all rotations saves, and whether the seats are equal.

Of a bot in a deal, x is its score in one match: the share of its opponents that it beat, ties
counting one half. It plays m matches of the deal, one from each seat. Over G deals of the same
table of bots

    B = variance of the mean of x over a deal, between deals
    W = variance of x within a deal
    V = B + W (m - 1) / m           the variance of one match on a deal and a seat of its own

and m B / V is the variance of a match that is played here, in units of that of an independent
match: 1 when rotations help nothing, 0.72 when 72 matches tell as much as 100 independent ones.
B, W and V are pooled over bots and tables, each weighted with its G - 1; deals of different
tables are never compared, since against stronger opponents a bot scores less anyway. One minus
the ratio is the variance saved; below 0 the matches of a deal resemble each other, and say less.

Only sums of whole numbers are kept, so they do not depend on the order in which deals come.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import fsum
from typing import TypeAlias

from arena.rating.deal_sums import Table
from arena.rating.elo import score

# Who sat at the table in a deal: (player, in how many of its matches), players ascending.
Seated: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class TableSums:
    """Sums over deals of one table of bots.

    `points` by seat, over all matches. By bot, in the order of `Seated`, in half-points (2 for
    an opponent beaten, 1 for a tie): `halves` over all matches, `deal_squares` the squares of a
    deal's sum, `match_squares` the squares of a match's sum.
    """

    deals: int
    points: tuple[int, ...]
    halves: tuple[int, ...]
    deal_squares: tuple[int, ...]
    match_squares: tuple[int, ...]

    def __add__(self, other: TableSums) -> TableSums:
        """The sums over both; they must be of the same table of bots."""
        return TableSums(
            self.deals + other.deals,
            _sums(self.points, other.points),
            _sums(self.halves, other.halves),
            _sums(self.deal_squares, other.deal_squares),
            _sums(self.match_squares, other.match_squares),
        )


@dataclass(frozen=True, slots=True)
class Luck:
    """What is known of cards and seats.

    deals          whole deals that count: of tables that played two or more
    ratio          variance of a match here in units of an independent one; None while unknown:
                   before the second deal of any table, or where all results were the same
    mean_points    by seat, over the matches of all whole deals; empty before the first
    matches        how many matches these are
    """

    deals: int = 0
    ratio: float | None = None
    mean_points: tuple[float, ...] = field(default=())
    matches: int = 0

    @property
    def saved(self) -> float | None:
        """The share of the variance that the rotations save, at most 1; negative for a loss."""
        return None if self.ratio is None else 1.0 - self.ratio


def summarise(matches: Sequence[Table]) -> tuple[Seated, TableSums]:
    """One deal, all its matches in any order. Raises ValueError without any."""
    if not matches:
        raise ValueError("a deal has at least one match")
    by_player: dict[int, list[int]] = defaultdict(list)
    points: Counter[int] = Counter()
    for match in matches:
        places = list(zip(match.forfeited, match.points, strict=True))
        points.update(dict(enumerate(match.points)))
        for player, mine in zip(match.players, places, strict=True):
            # A bot ties with itself, which is not counted.
            by_player[player].append(int(2 * sum(score(mine, other) for other in places)) - 1)
    scores = [by_player[player] for player in sorted(by_player)]
    seated = tuple((player, len(by_player[player])) for player in sorted(by_player))
    return seated, TableSums(
        1,
        tuple(points[seat] for seat in range(len(matches[0].players))),
        tuple(map(sum, scores)),
        tuple(sum(halves) ** 2 for halves in scores),
        tuple(sum(half**2 for half in halves) for halves in scores),
    )


def luck(tables: Iterable[tuple[Seated, TableSums]]) -> Luck:
    """What all tables of a tournament together tell; everything empty without any."""
    found = list(tables)
    if not found:
        return Luck()
    seats = len(found[0][1].points)
    matches = sum(sums.deals * _matches(seated, seats) for seated, sums in found)
    points = [sum(column) for column in zip(*(sums.points for _, sums in found), strict=True)]
    repeated = [(seated, sums) for seated, sums in found if sums.deals > 1]
    return Luck(
        sum(sums.deals for _, sums in repeated),
        _ratio(repeated),
        tuple(total / matches for total in points),
        matches,
    )


def _matches(seated: Seated, seats: int) -> int:
    """How many matches a deal of this table has."""
    return sum(played for _, played in seated) // seats


def _ratio(tables: Iterable[tuple[Seated, TableSums]]) -> float | None:
    parts = list(chain.from_iterable(_bots(seated, sums) for seated, sums in tables))
    played_here = fsum(here for here, _ in parts)
    independent = fsum(alone for _, alone in parts)
    return max(played_here, 0.0) / independent if independent > 0.0 else None


def _bots(seated: Seated, sums: TableSums) -> Iterable[tuple[float, float]]:
    """For each bot that sat at least twice: (G - 1) m B and (G - 1) V."""
    deals = sums.deals
    rows = zip(seated, sums.halves, sums.deal_squares, sums.match_squares, strict=True)
    for (_, played), halves, deal_squares, match_squares in rows:
        if played > 1:
            # Products of whole numbers first: sums that are equal must cancel exactly.
            between = (deals * deal_squares - halves**2) / deals
            within = (played * match_squares - deal_squares) / played
            here = between / played
            yield here, here / played + within * (deals - 1) / (deals * played)


def _sums(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    return tuple(mine + more for mine, more in zip(one, other, strict=True))

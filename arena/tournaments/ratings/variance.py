"""The savings from playing each deal more than once, and whether the seats are equal.

For a bot in a deal, x is its score in one match: the share of its opponents that it beat, ties
counting one half. It plays m matches of the deal from different seats, usually one from each.
Over G deals of the same table of bots

    B = variance of the mean of x over a deal, between deals
    W = variance of x within a deal
    V = B + W (m - 1) / m           variance of a match with its own deal and seat

and m B / V is the ratio of the variances of a match played here and an independent match. At 1,
there is no saving; at 0.72, 72 matches are worth 100 independent ones. B, W and V are pooled over
bots and tables, each weighted with its G - 1. Deals of different tables are never compared, because
scores also depend on the opponents' strength. One minus the ratio is the variance saved. It is
negative if the matches of a deal resemble each other.

Bots that keep their seat in all matches of a deal are left out. Only sums of whole numbers are
stored, so results do not depend on the order of deals.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.tournaments.ratings.deal_sums import Integers, SeatResults
from arena.tournaments.ratings.elo import score
from arena.tournaments.ratings.normal import Z95

Floats: TypeAlias = NDArray[np.float64]
Booleans: TypeAlias = NDArray[np.bool_]

# The bots of a deal: (player, number of its matches), players ascending.
Seated: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class TableSums:
    """Sums over deals of one table of bots.

    `points` are by seat, over all matches. The others are by bot, in the order of `Seated` and in
    half-points (2 for an opponent beaten, 1 for a tie): `halves` over all matches, `deal_squares`
    the squared sums of deals, `match_squares` the squared sums of matches.
    """

    deals: int
    points: tuple[int, ...]
    halves: tuple[int, ...]
    deal_squares: tuple[int, ...]
    match_squares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TableGroup:
    """T tables of bots with the same numbers of bots n and seats k, one row for each table.

    `played` (T, n): matches of a deal in which each bot sits; `moves` (T, n): whether its seat
    changes; `deals` (T,), `points` (T, k), the others (T, n), as in TableSums.
    """

    played: Integers
    moves: Booleans
    deals: Integers
    points: Integers
    halves: Integers
    deal_squares: Integers
    match_squares: Integers


@dataclass(frozen=True, slots=True)
class Luck:
    """The effect of cards and seats.

    deals          whole shared deals that count: of tables that played two or more
    ratio          variance of a match here in units of an independent one; None before the second
                   deal of any table, or if all results are equal
    mean_points    mean penalty points by seat over all whole deals; empty before the first
    matches        number of matches of these deals
    error          standard error of `ratio`; None with it
    shared         whether deals are played more than once
    """

    deals: int = 0
    ratio: float | None = None
    mean_points: tuple[float, ...] = ()
    matches: int = 0
    error: float | None = None
    shared: bool = False

    @property
    def plus_minus(self) -> float | None:
        """Half the width of the 95% interval of `saved`."""
        return None if self.error is None else Z95 * self.error

    @property
    def saved(self) -> float | None:
        """The share of the variance that is saved, at most 1; negative for a loss."""
        return None if self.ratio is None else 1.0 - self.ratio


def summarise(matches: Sequence[SeatResults]) -> tuple[Seated, TableSums]:
    """Summarises a deal, given all its matches in any order. Raises ValueError without any."""
    if not matches:
        raise ValueError("a deal has at least one match")
    by_player: dict[int, list[int]] = defaultdict(list)
    points: Counter[int] = Counter()
    for match in matches:
        places = list(zip(match.forfeited, match.points, strict=True))
        points.update(dict(enumerate(match.points)))
        for player, mine in zip(match.players, places, strict=True):
            # A bot ties with itself, which does not count.
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


def luck(groups: Sequence[TableGroup]) -> Luck:
    """Returns the result for all tables of a tournament, which must have the same number of seats.
    It is bit-identical for any order of tables, and empty without tables."""
    if not groups:
        return Luck()
    seats = groups[0].points.shape[1]
    matches = sum(int((one.deals * one.played.sum(axis=1)).sum()) for one in groups) // seats
    points = sum(one.points.sum(axis=0) for one in groups)
    ratio = _ratio(groups)
    return Luck(
        sum(int(one.deals[(one.deals > 1) & _shared(one)].sum()) for one in groups),
        ratio,
        tuple((points / matches).tolist()),
        matches,
        None if ratio is None else _error(groups, ratio),
        any(bool(_shared(one).any()) for one in groups),
    )


def _shared(tables: TableGroup) -> Booleans:
    """Returns whether each table plays a deal more than once, (T,)."""
    return np.asarray((tables.played > 1).any(axis=1))


def _error(groups: Sequence[TableGroup], ratio: float) -> float:
    """Returns the standard error of the ratio R = m B / V.

    This is the delta method from the errors of B and W. Like variances of normal numbers, their
    relative variance is 2 / (degrees of freedom). Scores at a table are dependent: k bots count as
    k/2 independent ones, which is exact for two. With t = (m - 1) W / (m B), R is m / (1 + t), and

        error = R (1 - R / m) sqrt(2 / freedom of B + 2 / freedom of W)
    """
    between = within = 0.0
    most = 0
    for one in groups:
        counts = (one.deals > 1)[:, None] & (one.played > 1) & one.moves
        free = counts.sum(axis=1) / 2
        turns = one.played.max(axis=1)
        between += float((free * (one.deals - 1)).sum())
        within += float((free * one.deals * (turns - 1)).sum())
        most = max(most, int(turns.max()))
    return ratio * (1.0 - ratio / most) * sqrt(2.0 / between + 2.0 / within)


def _ratio(groups: Sequence[TableGroup]) -> float | None:
    parts = [_bots(one) for one in groups]
    played_here = fsum(value for here, _ in parts for value in here.tolist())
    independent = fsum(value for _, alone in parts for value in alone.tolist())
    return max(played_here, 0.0) / independent if independent > 0.0 else None


def _bots(tables: TableGroup) -> tuple[Floats, Floats]:
    """Returns (G - 1) m B and (G - 1) V for each bot that changed seats within a deal, at tables
    with at least two deals."""
    deals = np.broadcast_to(tables.deals[:, None], tables.played.shape)
    counts = (deals > 1) & (tables.played > 1) & tables.moves
    deals, played = deals[counts], tables.played[counts]
    halves, deal_squares = tables.halves[counts], tables.deal_squares[counts]
    # Products of whole numbers first, so that equal sums cancel exactly.
    between = (deals * deal_squares - halves**2) / deals
    within = (played * tables.match_squares[counts] - deal_squares) / played
    here = between / played
    return here, here / played + within * (deals - 1) / (deals * played)

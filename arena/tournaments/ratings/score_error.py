"""The error of the scores in a tournament's standings.

A bot's score is a ratio, summed over deals d: half-points won, h, to half-points possible, n. Deals
are independent of each other, but the matches of a deal are not. With s the score and G the
deals in which the bot sat,

    variance of s = G / (G - 1) * sum of (h_d - s n_d)^2 / (sum of n_d)^2

is the usual variance of a ratio estimated from clusters (Cochran, Sampling Techniques, 1977,
ch. 6). It includes the variation of opponents' strength between deals, which is right if schedules
differ between bots. The inputs are the stored sums of h_d and h_d^2 for each table of bots, at
which n_d is constant.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from arena.tournaments.ratings.deal_sums import Integers
from arena.tournaments.ratings.normal import Z95
from arena.tournaments.ratings.variance import Floats

FEWEST = 10  # deals below which the scatter is poorly known


@dataclass(frozen=True, slots=True)
class SeatSums:
    """Sums of T tables of the same number of bots n, one row for each table.

    `players` (T, n), `possible` (T, n) half-points in a deal, `deals` (T,), `halves` and `squares`
    (T, n): of half-points in a deal, and of their squares (fractions if luck-adjusted).
    """

    players: Integers
    possible: Integers
    deals: Integers
    halves: Integers | Floats
    squares: Integers | Floats


def plus_minus(tables: Iterable[SeatSums]) -> dict[int, float]:
    """Returns by player half the width of the 95% interval of its score, from 0 to 1. Players with
    too few deals are left out."""
    parts = [_columns(each) for each in tables]
    if not parts:
        return {}
    everybody, deals, possible, halves, squares, crossed, whole = map(
        np.concatenate, zip(*parts, strict=True)
    )
    players, place = np.unique(everybody, return_inverse=True)

    def total(values: Integers | Floats) -> Floats:
        return np.bincount(place, weights=values, minlength=len(players)).astype(np.float64)

    sat, most = total(deals), total(possible)
    score = total(halves) / most
    scatter = total(squares) - 2 * score * total(crossed) + score**2 * total(whole)
    enough = sat >= FEWEST
    spread = np.sqrt(np.maximum(scatter, 0.0) * sat / np.maximum(sat - 1, 1)) / most
    return {
        int(player): float(Z95 * width)
        for player, width in zip(players[enough], spread[enough], strict=True)
    }


def _columns(tables: SeatSums) -> tuple[Integers | Floats, ...]:
    """Returns by bot and table: player, deals, and the sums of n, h, h^2, h n and n^2."""
    deals = np.broadcast_to(tables.deals[:, None], tables.players.shape)
    each = (
        tables.players,
        deals,
        deals * tables.possible,
        tables.halves,
        tables.squares,
        tables.halves * tables.possible,
        deals * tables.possible**2,
    )
    return tuple(column.ravel() for column in each)

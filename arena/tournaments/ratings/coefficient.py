"""The coefficient of the luck adjustment, fitted to the matches of a table.

    b = sum (s - e) L / sum L^2        over deals and players: s half-points of a player in a deal,
                                       e the expected ones, L the player's luck in half-points

This is the usual coefficient of a control variate. Subtracting b L lowers the variance, whatever
luck model L comes from: if L does not predict the results of these bots, b falls to 0.

If b were fitted to the matches that it adjusts, it would shrink scores towards their mean and hide
scatter. So deals are assigned to FOLDS by a hash of their tournament and number, and the b of each
fold is fitted to the others (cross-fitting, Chernozhukov and others 2018). A match's score then
does not enter its own coefficient. Because L has mean 0 regardless of other matches, s - b L has
the same mean as s.

With few matches, b is shrunk towards 1, as if it had a prior with mean 1 and standard deviation
SPREAD. 1 is the coefficient on the model card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from arena.tournaments.ratings.deal_sums import Integers

PARTS = 16  # parts of a tournament's deals, for a jackknife (`luck_saved`)
FOLDS = 4  # part p is in fold p % FOLDS
SPREAD = 0.5  # standard deviation of b around 1 between fields of bots
MOST = 2.0  # upper limit of b; the lower is 0

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LuckRows:
    """Sums over the deals of R tables of k players, by `fold` (R,), with `deals` (R,).

    (R, k): `players`, and `games`, the opponents that each meets in a deal. (R, k), in half-points:
    the sums of s (`halves`), of L (`luck`), of s L (`crossed`) and of L^2 (`squares`).
    """

    fold: Integers
    deals: Integers
    players: Integers
    games: Integers
    halves: Integers | Floats
    luck: Floats
    crossed: Floats
    squares: Floats

    def take(self, chosen: NDArray[np.bool_]) -> LuckRows:
        """Returns the rows for which `chosen` (R,) is true."""
        return LuckRows(*(getattr(self, each.name)[chosen] for each in fields(self)))


def parts_of(tournament: int, deals: Integers) -> Integers:
    """Returns the part (D,), from 0 to PARTS - 1, of each of these deals (D,) of a tournament. It
    is a hash (splitmix64), so it is unrelated to the schedule."""
    mixed = deals.astype(np.uint64) + np.uint64((tournament << 32) + 0x9E3779B97F4A7C15 & 2**64 - 1)
    mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ mixed >> np.uint64(31)) % np.uint64(PARTS)).astype(np.int64)


def coefficients(rows: Sequence[LuckRows], seats: int, matches: int) -> Floats:
    """Returns b of each fold (FOLDS,), for tables of `seats` and deals of `matches`."""
    # Ratio of the variance of s among equals to the prior variance of b.
    prior = matches * seats * (seats + 1) / (3 * SPREAD**2)
    return np.array([_fitted(rows, fold, prior) for fold in range(FOLDS)])


def _fitted(rows: Sequence[LuckRows], left_out: int, prior: float) -> float:
    others = [each.take(each.fold != left_out) for each in rows]
    shares = _shares(others)
    along = across = prior
    for each in others:
        along += float((each.crossed - _expected(each, shares) * each.luck).sum())
        across += float(each.squares.sum())
    return min(max(along / across, 0.0), MOST)


def _shares(rows: Sequence[LuckRows]) -> Floats:
    """Returns by player id the share of its games that it won, with one even game added."""
    most = max((int(each.players.max(initial=0)) for each in rows), default=0)
    halves, games = np.ones(most + 1), np.ones(most + 1)
    for each in rows:
        ids = each.players.ravel()
        met = (each.games * each.deals[:, None]).ravel()
        halves += np.bincount(ids, each.halves.ravel(), most + 1)
        games += np.bincount(ids, met, most + 1)
    return np.asarray(halves / (2 * games))


def _expected(rows: LuckRows, shares: Floats) -> Floats:
    """Returns the expected half-points in a deal, (R, k). Any guess that is independent of the
    fold's results is valid; a better one lowers the variance of b."""
    own = shares[rows.players]
    others = (own.sum(axis=1, keepdims=True) - own) / max(own.shape[1] - 1, 1)
    return np.asarray(2 * rows.games * np.clip(0.5 + own - others, 0.0, 1.0))

"""The coefficient with which luck is taken out of scores, fitted to the matches of a table.

    b = sum (s - e) L / sum L^2        over deals and players: s half-points of a player in a deal,
                                       e those to expect of it, L its luck in half-points

is the usual coefficient of a control variate. Subtracting b L lowers the variance whatever luck
model L comes from: b falls to 0 where L says nothing about the results of these bots.

Fitted to the matches that it corrects, b would draw scores towards their mean and hide scatter.
So deals fall into FOLDS by a hash of their tournament and number, and the b of a fold is fitted to
the other folds (cross-fitting, Chernozhukov and others 2018). The score of a match then never
enters its own coefficient, and the mean of s - b L is that of s, since L has the mean 0 whatever
happened in other matches.

With few matches b is shrunk towards 1, the coefficient on the net's card, as if before the first
match it were known to be 1 with a standard deviation of SPREAD.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from arena.tournaments.ratings.deal_sums import Integers

PARTS = 16  # of the deals of a tournament, for a jackknife (`luck_saved`)
FOLDS = 4  # part p is in fold p % FOLDS
SPREAD = 0.5  # standard deviation of b around 1 over fields of bots
MOST = 2.0  # b is from 0 to this

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LuckRows:
    """Sums over the deals of R tables of k players, by `fold` (R,): `deals` (R,); (R, k) `players`
    and `games`, the opponents that each meets in a deal; (R, k) in half-points the sums of `halves`
    s, of `luck` L, of s L (`crossed`) and of L^2 (`squares`)."""

    fold: Integers
    deals: Integers
    players: Integers
    games: Integers
    halves: Integers | Floats
    luck: Floats
    crossed: Floats
    squares: Floats

    def take(self, chosen: NDArray[np.bool_]) -> LuckRows:
        """The rows for which `chosen` (R,) is true."""
        return LuckRows(*(getattr(self, each.name)[chosen] for each in fields(self)))


def parts_of(tournament: int, deals: Integers) -> Integers:
    """The part (D,), from 0 to PARTS - 1, of each of these deals (D,) of a tournament: a hash
    (splitmix64), so that no schedule puts the same table into the same part each time."""
    mixed = deals.astype(np.uint64) + np.uint64((tournament << 32) + 0x9E3779B97F4A7C15 & 2**64 - 1)
    mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ mixed >> np.uint64(31)) % np.uint64(PARTS)).astype(np.int64)


def coefficients(rows: Sequence[LuckRows], seats: int, matches: int) -> Floats:
    """b of each fold (FOLDS,), for tables of so many seats and deals of so many matches."""
    # The variance of s among equals, over that of b before the first match.
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
    """By player's id the share of its games that it took, with one more game that is even."""
    most = max((int(each.players.max(initial=0)) for each in rows), default=0)
    halves, games = np.ones(most + 1), np.ones(most + 1)
    for each in rows:
        ids = each.players.ravel()
        met = (each.games * each.deals[:, None]).ravel()
        halves += np.bincount(ids, each.halves.ravel(), most + 1)
        games += np.bincount(ids, met, most + 1)
    return np.asarray(halves / (2 * games))


def _expected(rows: LuckRows, shares: Floats) -> Floats:
    """The half-points (R, k) to expect in a deal. Any guess will do that does not know the results
    of the fold; the better it is, the less b varies."""
    own = shares[rows.players]
    others = (own.sum(axis=1, keepdims=True) - own) / max(own.shape[1] - 1, 1)
    return np.asarray(2 * rows.games * np.clip(0.5 + own - others, 0.0, 1.0))

"""Pairs of players: expected score, observed score, and whether they agree.

A single number for each bot cannot express that paper beats rock. Such pairs have large residuals:
the observed score differs from the score that their ratings predict.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from arena.tournaments.ratings.bradley_terry import Fit
from arena.tournaments.ratings.normal import Z95
from arena.tournaments.ratings.solve import Floats


@dataclass(frozen=True)
class Pair:
    """A player compared with another that it met.

    - `observed`, `expected`: scores from 0 to 1; `score_plus_minus` is the 95% error of
      `observed`, or None if unknown (see `pair_errors`).
    - `residual`: observed minus expected score in standard errors, or None if it is not
      meaningful (see `residuals`).
    - `difference`, `plus_minus`: difference in Elo and its 95% error.
    - `stronger`: probability that the first player is stronger.
    - `surely`: whether the order is clear at a simultaneous confidence: in 95 of 100 rating
      tables, all such pairs are in the right order.
    """

    player: int
    other: int
    deals: int
    observed: float
    expected: float
    residual: float | None
    difference: float
    plus_minus: float
    stronger: float
    surely: bool
    score_plus_minus: float | None


class Pairs(Sequence[Pair]):
    """All pairs of these players that met, in the order of the list: (0, 1), (0, 2), ...

    `standard` are the `residuals` of the fit, `errors` its `score_errors`. Pairs are computed on
    access, because 200 players have about 20,000.
    """

    def __init__(self, fit: Fit, standard: Floats, errors: Floats, players: Sequence[int]) -> None:
        self._fit, self._standard, self._errors = fit, standard, errors
        rows = np.array([fit.index(player) for player in players], dtype=np.int64)
        met = np.nonzero(np.triu(fit.deals[np.ix_(rows, rows)], 1))
        # Kept as arrays, which are much faster to create than tuples.
        self._one, self._other = rows[met[0]], rows[met[1]]

    def __len__(self) -> int:
        return len(self._one)

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> list[Pair]: ...
    def __getitem__(self, place: int | slice) -> Pair | list[Pair]:
        known = self._fit, self._standard, self._errors
        if isinstance(place, slice):
            some = zip(self._one[place].tolist(), self._other[place].tolist(), strict=True)
            return [_pair(*known, one, other) for one, other in some]
        return _pair(*known, int(self._one[place]), int(self._other[place]))


def of_one(
    fit: Fit, standard: Floats, errors: Floats, player: int, others: Sequence[int]
) -> list[Pair]:
    """Returns the pairs of one player with each of `others` that it met, in their order."""
    own = fit.index(player)
    places = [fit.index(other) for other in others]
    return [_pair(fit, standard, errors, own, place) for place in places if fit.deals[own, place]]


def _pair(fit: Fit, standard: Floats, errors: Floats, i: int, j: int) -> Pair:
    return Pair(
        player=fit.players[i],
        other=fit.players[j],
        deals=int(fit.deals[i, j]),
        observed=float(fit.wins[i, j] / (fit.wins[i, j] + fit.wins[j, i])),
        expected=float(fit.expected[i, j]),
        residual=_known(standard[i, j]),
        difference=float(fit.ratings[i] - fit.ratings[j]),
        plus_minus=float(Z95 * fit.difference_error[i, j]),
        stronger=float(fit.stronger[i, j]),
        surely=bool(fit.apart[i, j]),
        score_plus_minus=_known(errors[i, j]),
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)

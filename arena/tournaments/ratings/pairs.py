"""Pair by pair: what was to be expected, what was observed, and whether the two agree.

One number for each bot cannot say that paper beats rock. Where it does, the residuals of some
pairs are large: what A scores against B is not what their ratings, which follow from all their
matches, lead to expect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from arena.tournaments.ratings.bradley_terry import Fit
from arena.tournaments.ratings.normal import Z95
from arena.tournaments.ratings.solve import Floats


@dataclass(frozen=True)
class Pair:
    """How one player stands to another whom it met.

    Scores are from 0 to 1, that which was `observed` ± 95% `score_plus_minus` (None where that is
    not known, see `pair_errors`), `difference` and its 95% `plus_minus` in Elo, `stronger` is the
    probability that the first is the stronger, `residual` the observed less the expected
    score in standard errors, None where it tells nothing (see `residuals`). `surely` says
    whether it is right to call one of the two stronger: so that in 95 of 100 rating tables all
    pairs of which this is said are in the right order.
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

    `standard` are the `residuals` of the same fit, `errors` its `score_errors`. Each pair is
    worked out when it is taken, for of two hundred players there are some 20,000.
    """

    def __init__(self, fit: Fit, standard: Floats, errors: Floats, players: Sequence[int]) -> None:
        self._fit, self._standard, self._errors = fit, standard, errors
        rows = np.array([fit.index(player) for player in players], dtype=np.int64)
        met = np.nonzero(np.triu(fit.deals[np.ix_(rows, rows)], 1))
        # As arrays: 20,000 pairs of numbers take longer to make than a page of them.
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
    """The pairs of one player with those of the others whom it met, in their order."""
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

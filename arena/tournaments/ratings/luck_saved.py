"""The precision of luck-adjusted scores, and the number of matches that the adjustment saves.

For a bot in a deal, x is its unadjusted score and y its score minus b L, its luck times the fitted
coefficient (`coefficient`). Pooled over the bots and tables of a tournament, each weighted with its
number of deals minus one,

    factor = variance of x / variance of y

is the number of unadjusted matches that are worth one adjusted match: at 1.5, 100 adjusted matches
are worth 150. Deals of different tables are not compared, because scores also depend on the
opponents' strength.

The factor's error is computed with a jackknife (Efron and Tibshirani 1993, ch. 11): the logarithm
of the factor is computed without each of sixteen parts of the deals. This accounts for the
correlation of bots at a table, and of x and y.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, log, sqrt

import numpy as np

from arena.tournaments.ratings.coefficient import FOLDS, PARTS, Floats, LuckRows, coefficients
from arena.tournaments.ratings.deal_sums import Integers
from arena.tournaments.ratings.match_luck import HALF

T95 = 2.131  # Student's t of 15 degrees of freedom, 97.5%
FEWEST = 64  # deals below which the variance itself is poorly known
NOTHING = 1e-9  # share of the variance that rounding may leave


@dataclass(frozen=True)
class TableLuck:
    """Sums over the deals of R parts of tables of k bots.

    By row (R,): `table` (a number that equal tables share), luck `model`, `part` and `deals`.
    (R, k): `players`, matches `played` by each in a deal, and the sums of half-points s (`halves`),
    s^2 (`squares`), luck L in units, s L (`crossed`) and L^2 (`luck_squares`).
    """

    table: Integers
    model: Integers
    part: Integers
    deals: Integers
    players: Integers
    played: Integers
    halves: Integers
    squares: Integers
    luck: Integers
    crossed: Integers
    luck_squares: Integers

    def rows(self, seats: int) -> LuckRows:
        """Returns the sums in the form for fitting coefficients."""
        return LuckRows(
            self.part % FOLDS,
            self.deals,
            self.players,
            self.played * (seats - 1),
            self.halves,
            self.luck / HALF,
            self.crossed / HALF,
            self.luck_squares / HALF**2,
        )


@dataclass(frozen=True)
class LessLuck:
    """The adjustment of the rows of a TableLuck: the `coefficient` of each (R,), and the changes of
    the sums of `halves` and `squares` (R, k), in half-points."""

    coefficient: Floats
    halves: Floats
    squares: Floats


@dataclass(frozen=True, slots=True)
class Saved:
    """`factor` (see above) and its 95% interval from `low` to `high`; all None for too few deals or
    if all results are equal. `deals` with known luck, and their mean `coefficient` (None without
    deals)."""

    deals: int = 0
    factor: float | None = None
    low: float | None = None
    high: float | None = None
    coefficient: float | None = None


def less_luck(tables: Sequence[TableLuck], seats: int) -> list[LessLuck]:
    """Returns the adjustment for all tables of a tournament, with a coefficient for each luck model
    and fold."""
    fitted = [np.ones(len(each.table)) for each in tables]
    for model in sorted({int(model) for each in tables for model in each.model}):
        chosen = [each.model == model for each in tables]
        rows = [each.rows(seats).take(mask) for each, mask in zip(tables, chosen, strict=True)]
        by_fold = coefficients(rows, seats, _matches(tables[0], seats))
        for coefficient, each, mask in zip(fitted, tables, chosen, strict=True):
            coefficient[mask] = by_fold[each.part[mask] % FOLDS]
    return [moved(each.rows(seats), b) for each, b in zip(tables, fitted, strict=True)]


def _matches(tables: TableLuck, seats: int) -> int:
    """Returns the number of matches in a deal, equal for all deals of a tournament."""
    return int(tables.played[0].sum()) // seats


def moved(rows: LuckRows, coefficient: Floats) -> LessLuck:
    """Returns the adjustment with the coefficient of each row (R,)."""
    b = coefficient[:, None]
    return LessLuck(coefficient, -b * rows.luck, b**2 * rows.squares - 2 * b * rows.crossed)


def saved(tables: Sequence[TableLuck], less: Sequence[LessLuck]) -> Saved:
    """Returns the factor over all tables of a tournament."""
    deals = sum(int(each.deals.sum()) for each in tables)
    total = sum(float(b.coefficient @ t.deals) for t, b in zip(tables, less, strict=True))
    coefficient = total / deals if deals else None
    whole = _factor(tables, less, None)
    without = [_factor(tables, less, part) for part in range(PARTS)]
    if deals < FEWEST or whole is None or any(each is None for each in without):
        return Saved(deals, coefficient=coefficient)
    logs = [log(each) for each in without if each is not None]
    mean = fsum(logs) / PARTS
    error = sqrt((PARTS - 1) / PARTS * fsum((each - mean) ** 2 for each in logs))
    low, high = whole * exp(-T95 * error), whole * exp(T95 * error)
    return Saved(deals, whole, low, high, coefficient)


def _factor(
    tables: Sequence[TableLuck], less: Sequence[LessLuck], left_out: int | None
) -> float | None:
    """Returns the factor without one part; None if there is no scatter."""
    as_played = without = 0.0
    for each, change in zip(tables, less, strict=True):
        kept = np.flatnonzero(each.part != left_out)
        as_played += _scatter(each, kept, each.halves, each.squares)
        without += _scatter(each, kept, each.halves + change.halves, each.squares + change.squares)
    return as_played / without if without > NOTHING * as_played else None


def _scatter(
    tables: TableLuck, kept: Integers, halves: Integers | Floats, squares: Integers | Floats
) -> float:
    """Returns the sum over bots and deals of squared distances from the bot's table mean."""
    table = tables.table[kept]
    deals = np.bincount(table, tables.deals[kept])
    several = deals > 1
    total = 0.0
    for column in range(halves.shape[1]):
        score = np.bincount(table, halves[kept, column])[several]
        square = np.bincount(table, squares[kept, column])[several]
        total += float((square - score**2 / deals[several]).sum())
    return total

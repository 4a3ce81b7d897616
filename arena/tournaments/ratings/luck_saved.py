"""How sure scores are with luck taken out, and how many matches that saves.

Of a bot in a deal, x is its score as played and y its score less b L, its luck times the fitted
coefficient (`coefficient`). Pooled over the bots and tables of a tournament, each weighted with its
deals less one,

    factor = variance of x / variance of y

is how many matches as played tell as much as one less luck: 1.5 when 100 matches tell as much as
150. Deals of different tables are not compared, as against stronger opponents a bot scores less
anyway.

The error of the factor is that of a jackknife (Efron and Tibshirani 1993, ch. 11): the logarithm of
the factor is computed without each of sixteen parts of the deals. It takes what the bots of a
table share, and that x and y are of the same deals, into account.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, log, sqrt

import numpy as np

from arena.tournaments.ratings.coefficient import FOLDS, PARTS, Floats, LuckRows, coefficients
from arena.tournaments.ratings.deal_sums import Integers
from arena.tournaments.ratings.match_luck import HALF

T95 = 2.131  # Student's t of 15 degrees of freedom, 97.5%
FEWEST = 64  # deals; of fewer the variance itself is known badly
NOTHING = 1e-9  # share of the variance that rounding may leave


@dataclass(frozen=True)
class TableLuck:
    """Sums over the deals of R parts of tables of k bots. By row (R,): the `table`, a number that
    equal tables share, luck `model`, `part` and `deals`; (R, k): `players`, how many matches each
    `played` in a deal, and the sums of half-points s (`halves`), s^2 (`squares`), luck L in units,
    s L (`crossed`) and L^2 (`luck_squares`)."""

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
        """The same for fitting coefficients."""
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
    """Of the rows of a TableLuck: the `coefficient` of each (R,), and by how much it moves the sums
    of `halves` and of `squares` (R, k), in half-points."""

    coefficient: Floats
    halves: Floats
    squares: Floats


@dataclass(frozen=True, slots=True)
class Saved:
    """`factor` (see above), and the 95% interval from `low` to `high`; all None while it is
    unknown: of few deals, or where all results were the same. `deals` whose luck is known, and the
    mean `coefficient` of theirs, None where there are none."""

    deals: int = 0
    factor: float | None = None
    low: float | None = None
    high: float | None = None
    coefficient: float | None = None


def less_luck(tables: Sequence[TableLuck], seats: int) -> list[LessLuck]:
    """Takes luck out of the scores of all tables of a tournament, with a coefficient for each luck
    model and fold."""
    fitted = [np.ones(len(each.table)) for each in tables]
    for model in sorted({int(model) for each in tables for model in each.model}):
        chosen = [each.model == model for each in tables]
        rows = [each.rows(seats).take(mask) for each, mask in zip(tables, chosen, strict=True)]
        by_fold = coefficients(rows, seats, _matches(tables[0], seats))
        for coefficient, each, mask in zip(fitted, tables, chosen, strict=True):
            coefficient[mask] = by_fold[each.part[mask] % FOLDS]
    return [moved(each.rows(seats), b) for each, b in zip(tables, fitted, strict=True)]


def _matches(tables: TableLuck, seats: int) -> int:
    """The number of matches in a deal, the same for all of a tournament."""
    return int(tables.played[0].sum()) // seats


def moved(rows: LuckRows, coefficient: Floats) -> LessLuck:
    """Takes luck times the coefficient of each row (R,) out."""
    b = coefficient[:, None]
    return LessLuck(coefficient, -b * rows.luck, b**2 * rows.squares - 2 * b * rows.crossed)


def saved(tables: Sequence[TableLuck], less: Sequence[LessLuck]) -> Saved:
    """What all tables of a tournament together tell."""
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
    """The factor, without one of the parts; None where nothing scatters."""
    as_played = without = 0.0
    for each, change in zip(tables, less, strict=True):
        kept = np.flatnonzero(each.part != left_out)
        as_played += _scatter(each, kept, each.halves, each.squares)
        without += _scatter(each, kept, each.halves + change.halves, each.squares + change.squares)
    return as_played / without if without > NOTHING * as_played else None


def _scatter(
    tables: TableLuck, kept: Integers, halves: Integers | Floats, squares: Integers | Floats
) -> float:
    """The sum over bots and deals of squared distances from each bot's mean at each table."""
    table = tables.table[kept]
    deals = np.bincount(table, tables.deals[kept])
    several = deals > 1
    total = 0.0
    for column in range(halves.shape[1]):
        score = np.bincount(table, halves[kept, column])[several]
        square = np.bincount(table, squares[kept, column])[several]
        total += float((square - score**2 / deals[several]).sum())
    return total

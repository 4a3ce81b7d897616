"""How sure scores are with luck taken out, and how many matches that saves.

Of a bot in a deal, x is its score with and y its score without luck (shares of its opponents, over
the matches of the deal). Pooled over the bots and tables of a tournament, each weighted with its
deals less one,

    factor = variance of x / variance of y

is how many matches with luck tell as much as one without: 1.5 when 100 matches tell as much as 150.
Deals of different tables are not compared, as against stronger opponents a bot scores less anyway.

The error of the factor is that of a jackknife (Efron and Tibshirani 1993, ch. 11): deals fall into
sixteen parts by their number, and the logarithm of the factor is computed without each part. It
takes what the bots of a table share, and that x and y are of the same deals, into account.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, log, sqrt

import numpy as np
from numpy.typing import NDArray

from arena.rating.deal_sums import Integers
from arena.rating.match_luck import HALF

PARTS = 16
T95 = 2.131  # Student's t of 15 degrees of freedom, 97.5%
FEWEST = 64  # deals; of fewer the variance itself is known badly

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TablePart:
    """Some deals of one table of bots n: sums over them, by bot (n,), of half-points, of their
    squares, and of both without luck in units."""

    table: bytes
    part: int
    deals: int
    halves: Integers
    squares: Integers
    lucky_halves: Integers
    lucky_squares: Integers


@dataclass(frozen=True, slots=True)
class Saved:
    """`factor` (see above), and the 95% interval from `low` to `high`; all None while it is
    unknown: of few deals, or where all results were the same. `deals` whose luck is known."""

    deals: int = 0
    factor: float | None = None
    low: float | None = None
    high: float | None = None


def saved(parts: Sequence[TablePart]) -> Saved:
    """What all tables of a tournament together tell, the same in whatever order they come."""
    deals = sum(each.deals for each in parts)
    by_table: dict[bytes, list[TablePart]] = {}
    for each in sorted(parts, key=lambda one: (one.table, one.part)):
        by_table.setdefault(each.table, []).append(each)
    tables = list(by_table.values())
    whole = _factor(tables, None)
    without = [_factor(tables, part) for part in range(PARTS)]
    if deals < FEWEST or whole is None or any(each is None for each in without):
        return Saved(deals)
    logs = [log(each) for each in without if each is not None]
    mean = fsum(logs) / PARTS
    error = sqrt((PARTS - 1) / PARTS * fsum((each - mean) ** 2 for each in logs))
    return Saved(deals, whole, whole * exp(-T95 * error), whole * exp(T95 * error))


def _factor(tables: Sequence[Sequence[TablePart]], left_out: int | None) -> float | None:
    """The factor, without one of the parts; None where nothing scatters."""
    with_luck, without = [], []
    for parts in tables:
        chosen = [each for each in parts if each.part != left_out]
        deals = sum(each.deals for each in chosen)
        if deals > 1:
            with_luck.append(_scatter(deals, [(each.halves, each.squares) for each in chosen]))
            lucky = [(each.lucky_halves, each.lucky_squares) for each in chosen]
            without.append(_scatter(deals, lucky) / HALF**2)
    one, other = fsum(with_luck), fsum(without)
    return one / other if one > 0.0 and other > 0.0 else None


def _scatter(deals: int, parts: Sequence[tuple[Integers, Integers]]) -> float:
    """The sum over bots and deals of squared distances from each bot's mean."""
    halves = [sum(column) for column in zip(*(each[0].tolist() for each in parts), strict=True)]
    squares = [sum(column) for column in zip(*(each[1].tolist() for each in parts), strict=True)]
    # Whole numbers of any size: what is equal cancels exactly.
    return fsum(
        (deals * square - half * half) / deals for half, square in zip(halves, squares, strict=True)
    )

"""Ratings by scores with luck taken out, of bots of known strength: as true, and surer."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from arena.pairing import format_of
from arena.rating.adjusted import AdjustedTally
from arena.rating.bradley_terry import Fit, fit
from arena.rating.deal_sums import Integers, SeatResults, Tally
from arena.rating.match_luck import GAME
from arena.rating.normal import Z95
from arena.simulate.coverage import CoverageCase, truth
from arena.simulate.dealer import Dealer
from arena.simulate.tournament import blocks, drawn_seed, generators
from arena.simulate.world import Floats


def luck_of(cards: Floats, size: float, turned: int) -> Integers:
    """What a model that sees the cards, or by `turned` seats beside them, says of each pair. Cards
    are drawn alike for all seats, so the mean is 0."""
    seen = np.roll(cards, turned)
    pairs = [size * np.tanh((seen[i] - seen[j]) / 2) for i, j in combinations(range(len(seen)), 2)]
    units: Integers = np.rint(np.array(pairs) * GAME).astype(np.int64)
    return units


def rated(tried: CoverageCase, chance: np.random.Generator, size: float, turned: int) -> Fit:
    dealer = Dealer(tried.world, chance)
    spec = tried.spec(drawn_seed(chance))
    tally, plain = AdjustedTally(), Tally()
    for block in blocks(spec, format_of(spec.format), dealer):
        for one in block.played:
            deal = [SeatResults(one.match.seats, one.points, one.forfeited)]
            tally.add(deal, [luck_of(dealer._cards[one.match.deal], size, turned)])
            plain.add(deal)
    return fit(tally.groups(), plain=plain.groups())


@cache
def measured(
    seats: int, size: float, turned: int = 0, runs: int = 20
) -> tuple[float, float, float]:
    """The share of intervals that contain the truth, their mean half-width, and the mean error of
    the difference between the strongest and the weakest in standard errors of that mean."""
    tried = CoverageCase(bots=6, seats=seats, cycles={2: 12, 4: 4}[seats])
    inside, widths, off = [], [], []
    pairs = np.triu_indices(tried.bots, 1)
    for chance in generators(11, runs):
        found = rated(tried, chance, size, turned)
        differences = found.ratings[:, None] - found.ratings[None, :]
        wrong = differences - truth(found, tried.world)
        half = Z95 * found.difference_error
        inside.append((np.abs(wrong) <= half)[pairs].mean())
        widths.append(half[pairs].mean())
        off.append(wrong[0, -1])
    error = np.std(off, ddof=1) / np.sqrt(runs)
    return float(np.mean(inside)), float(np.mean(widths)), float(np.mean(off) / error)


@pytest.mark.parametrize("seats", [2, 4])
def test_intervals_hold_and_are_narrower(seats: int) -> None:
    plain, wide, _ = measured(seats, 0.0)
    inside, narrow, off = measured(seats, 0.3)

    assert 0.93 <= plain <= 0.97
    assert 0.93 <= inside <= 0.97
    assert narrow < 0.9 * wide
    assert abs(off) < 3


def test_a_wrong_model_costs_precision_and_nothing_else() -> None:
    _, wide, _ = measured(4, 0.0)
    inside, wider, off = measured(4, 0.4, turned=1)

    assert 0.93 <= inside <= 0.97
    assert wider > wide
    assert abs(off) < 3

"""Ratings by scores with luck taken out, of bots of known strength: as true, and surer."""

from functools import cache

import numpy as np
import pytest

from tests.lab.simulations.coverage import (
    Coverage,
    CoverageCase,
    play,
    rate_less_luck,
    simulate,
    truth,
)
from tests.lab.simulations.dealer import Dealer
from tests.lab.simulations.tournament import drawn_seed, generators

pytestmark = pytest.mark.lab

CYCLES = {2: 12, 3: 6, 4: 4, 5: 6, 6: 20}


def case(seats: int, luck: float, wrong_model: bool = False) -> CoverageCase:
    return CoverageCase(6, seats, CYCLES[seats], luck=luck, wrong_model=wrong_model)


@cache
def measured(seats: int, luck: float, wrong_model: bool = False) -> Coverage:
    return simulate(case(seats, luck, wrong_model), runs=40, seed=11)


def assert_they_hold(found: Coverage) -> None:
    """Coverage from .93 to .97, when its own standard error is allowed for."""
    assert found.less_luck
    error = found.less_luck.error
    assert error < 0.02
    assert 0.93 - error < found.less_luck.inside < 0.97 + error


@pytest.mark.parametrize("seats", CYCLES)
def test_intervals_hold_and_are_narrower(seats: int) -> None:
    found = measured(seats, 0.3)

    assert_they_hold(found)
    assert found.less_luck
    assert found.less_luck.width < 0.9 * found.by_deal.width


@pytest.mark.parametrize("seats", [2, 4])
def test_a_wrong_model_is_left_out_of_account(seats: int) -> None:
    found = measured(seats, 0.4, wrong_model=True)

    assert_they_hold(found)
    assert found.less_luck
    assert found.less_luck.width < 1.01 * found.by_deal.width


@pytest.mark.parametrize("seats", [2, 4])
def test_a_model_that_exaggerates_threefold_is_worth_as_much_as_one_that_does_not(
    seats: int,
) -> None:
    found, right = measured(seats, 0.9), measured(seats, 0.3)

    assert_they_hold(found)
    assert found.less_luck
    assert right.less_luck
    assert found.less_luck.width < 1.03 * right.less_luck.width


@pytest.mark.parametrize("wrong_model", [False, True])
def test_neither_model_favours_anybody(wrong_model: bool) -> None:
    """The mean error of the difference between strongest and weakest, in its standard errors."""
    tried, off = case(4, 0.3, wrong_model), []
    for chance in generators(12, 20):
        dealer = Dealer(tried.world, chance)
        found = rate_less_luck(tried, play(tried.spec(drawn_seed(chance)), dealer), dealer)
        wrong = found.ratings[-1] - found.ratings[0] - truth(found, tried.world)[-1, 0]
        off.append(wrong)

    assert abs(np.mean(off)) < 3 * np.std(off, ddof=1) / np.sqrt(len(off))

"""Expected scores compared with results."""

import random

import pytest

from arena.games.match import Result
from arena.value.review.calibration import (
    Expected,
    calibration,
    calibration_by_points,
    scores,
)


def test_a_score_is_the_mean_over_the_opponents() -> None:
    result = Result((3, 9, 9, 40), (1, 2, 2, 4), (0,), (None,) * 4)
    assert scores(result) == pytest.approx([1, 1 / 2, 1 / 2, 0])


def test_correct_expectations_are_calibrated() -> None:
    rng = random.Random(1)
    found = []
    for match in range(4000):
        p = rng.random()
        came = float(rng.random() < p)  # the same for all choices of a match
        found += [Expected(str(match), p, came)] * 5
    bins = calibration(found)
    assert sum(each.choices for each in bins) == 20_000
    assert all(abs(each.came - each.expected) < 3.5 * each.error for each in bins)
    # Five choices of a match are one observation, so the error depends on the number of matches.
    middle = bins[5]
    assert middle.error == pytest.approx((0.25 / middle.matches) ** 0.5, rel=0.1)


def test_choices_late_in_a_match_are_seen_apart() -> None:
    found = [Expected(str(n), 0.5, float(n % 2 or n % 4), points=n % 40) for n in range(400)]
    bins = calibration_by_points(found)
    assert [(each.least, each.choices) for each in bins] == [(at, 100) for at in (0, 10, 20, 30)]


def test_wrong_expectations_are_detected() -> None:
    found = [Expected(str(number), 0.75, float(number % 2)) for number in range(400)]
    (only,) = calibration(found)
    assert only.expected - only.came > 5 * only.error

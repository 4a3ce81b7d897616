"""The rating of one player against opponents whose ratings are known."""

import random
from statistics import mean

import numpy as np
import pytest

from arena.tournaments.ratings.performance import FEWEST, OpponentScore, performance


def won(rating: float, opponent: float, chance: random.Random) -> float:
    return float(chance.random() < 1 / (1 + 10 ** ((opponent - rating) / 400)))


def played(rating: float, matches: int, seed: int) -> list[OpponentScore]:
    chance = random.Random(seed)
    opponents = [chance.gauss(1500, 100) for _ in range(matches)]
    return [
        OpponentScore(n, other, won(rating, other, chance)) for n, other in enumerate(opponents)
    ]


def test_there_is_none_before_enough_matches() -> None:
    assert performance([]) is None
    assert performance([OpponentScore(1, 1500.0, 1.0)] * 20) is None
    assert performance([OpponentScore(n, 1500.0, 1.0) for n in range(FEWEST)]) is not None


def test_half_of_the_score_is_the_rating_of_the_opponents() -> None:
    found = performance([OpponentScore(n, 1600.0, 0.5) for n in range(30)])

    assert found is not None
    assert found.rating == pytest.approx(1600, abs=1e-6)


def test_winning_everything_is_finite_and_more_wins_are_more() -> None:
    ratings = []
    for matches in (5, 20, 80):
        found = performance([OpponentScore(n, 1500.0, 1.0) for n in range(matches)])
        assert found is not None
        ratings.append(found.rating)

    assert ratings == sorted(ratings)
    assert ratings[0] > 1600
    assert ratings[-1] < 2800


def test_it_finds_the_rating_and_its_interval_holds_it() -> None:
    found = [performance(played(1620, 100, seed)) for seed in range(300)]
    ratings = [one.rating for one in found if one]
    inside = [abs(one.rating - 1620) <= one.plus_minus for one in found if one]

    assert mean(ratings) == pytest.approx(1620, abs=6)
    assert 0.92 <= np.mean(inside) <= 0.99


def test_meetings_of_one_match_that_go_together_widen_the_interval() -> None:
    apart = played(1500, 100, 1)
    together = [one._replace(match=n // 4) for n, one in enumerate(apart)]
    alike = [OpponentScore(n // 4, 1500.0, float(n // 4 % 2)) for n in range(100)]
    spread = [OpponentScore(n, 1500.0, float(n // 4 % 2)) for n in range(100)]

    one, other = performance(alike), performance(spread)
    assert one is not None
    assert other is not None
    assert one.plus_minus > 1.7 * other.plus_minus
    assert performance(together) is not None

"""The error bars of scores: against the formula written out, and against chance itself."""

import random
from math import sqrt

import numpy as np
import pytest

from arena.tournaments.ratings.normal import Z95
from arena.tournaments.ratings.score_error import FEWEST, SeatSums, plus_minus

Deal = tuple[int, int]  # half-points, and how many there could have been


def written_out(deals: list[Deal]) -> float:
    count = len(deals)
    score = sum(mine for mine, _ in deals) / sum(most for _, most in deals)
    scatter = sum((mine - score * most) ** 2 for mine, most in deals)
    return Z95 * sqrt(count / (count - 1) * scatter) / sum(most for _, most in deals)


def table(players: list[int], possible: int, deals: list[list[int]]) -> SeatSums:
    """A table at which the bots had these half-points in each deal."""
    each = np.array(deals, dtype=np.int64)
    return SeatSums(
        np.array([players]),
        np.array([[possible] * len(players)]),
        np.array([len(deals)]),
        each.sum(axis=0)[None, :],
        (each**2).sum(axis=0)[None, :],
    )


def test_it_is_the_formula_over_deals_of_all_tables() -> None:
    chance = random.Random(1)
    first = [[chance.randrange(9), chance.randrange(9)] for _ in range(15)]
    second = [[chance.randrange(25), chance.randrange(25)] for _ in range(20)]

    found = plus_minus([table([1, 2], 8, first), table([2, 3], 24, second)])

    assert found[1] == pytest.approx(written_out([(mine, 8) for mine, _ in first]))
    assert found[3] == pytest.approx(written_out([(mine, 24) for _, mine in second]))
    both = [(mine, 8) for _, mine in first] + [(mine, 24) for mine, _ in second]
    assert found[2] == pytest.approx(written_out(both))


def test_it_covers_the_truth_in_95_of_100_cases() -> None:
    chance = random.Random(2)
    inside = 0
    for _ in range(1000):
        deals = []
        for _ in range(60):
            luck = chance.choice((0.3, 0.5, 0.7))  # shared by the matches of a deal
            deals.append([sum(2 * (chance.random() < luck) for _ in range(4))])
        width = plus_minus([table([1], 8, deals)])[1]
        inside += abs(sum(mine for (mine,) in deals) / (60 * 8) - 0.5) < width

    assert 930 <= inside <= 970


def test_few_deals_tell_nothing_and_equal_ones_leave_no_doubt() -> None:
    assert plus_minus([table([1], 8, [[4]] * (FEWEST - 1))]) == {}
    assert plus_minus([table([1], 8, [[4]] * FEWEST)]) == {1: 0.0}
    assert plus_minus([]) == {}

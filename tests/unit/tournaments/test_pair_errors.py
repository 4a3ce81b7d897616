"""The ± of the score that one bot was seen to have against another."""

import random
from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from arena.tournaments.ratings.bradley_terry import fit
from arena.tournaments.ratings.deal_sums import SeatResults
from arena.tournaments.ratings.normal import Z95
from arena.tournaments.ratings.residuals import score_errors
from arena.tournaments.ratings.solve import Floats
from tests.tallies import DealTally

Deal = list[SeatResults]


def errors(deals: Iterable[Deal]) -> Floats:
    tally = DealTally()
    for deal in deals:
        tally.add(deal)
    groups = tally.groups()
    return score_errors(fit(groups), groups)


def match(*points: int, players: Sequence[int] = ()) -> SeatResults:
    seated = players or range(1, len(points) + 1)
    return SeatResults(tuple(seated), points, (False,) * len(points))


def shares(deals: Sequence[Deal]) -> list[float]:
    """By deal, the mean score of player 1 against player 2."""
    score = {True: 1.0, False: 0.0}
    means = []
    for deal in deals:
        each = []
        for one in deal:
            mine, theirs = (one.points[one.players.index(player)] for player in (1, 2))
            each.append(0.5 if mine == theirs else score[mine < theirs])
        means.append(sum(each) / len(each))
    return means


@pytest.mark.parametrize("rotations", [1, 3])
def test_deals_are_the_unit_however_many_matches_they_have(rotations: int) -> None:
    """Equally long deals: the error is that of the mean of their means."""
    chance = random.Random(rotations)
    deals = []
    for _ in range(60):
        tilt = chance.choice([0, 8])  # luck that the matches of a deal share
        deals.append([
            match(*(tilt * (seat == 0) + chance.randrange(20) for seat in range(3)))
            for _ in range(rotations)
        ])  # fmt: skip

    found = errors(deals)

    expected = Z95 * np.std(shares(deals), ddof=1) / np.sqrt(len(deals))
    assert found[0, 1] == pytest.approx(expected)
    assert found[1, 0] == pytest.approx(found[0, 1])


@pytest.mark.long
def test_intervals_hold_the_truth_in_95_of_100_cases() -> None:
    chance, truth, inside, tried = random.Random(4), 0.6, 0, 200
    for _ in range(tried):
        deals = [[match(0, 1) if chance.random() < truth else match(1, 0)] for _ in range(60)]
        inside += abs(np.mean(shares(deals)) - truth) <= errors(deals)[0, 1]

    assert 0.91 <= inside / tried <= 0.985


def test_matches_at_larger_tables_count_less_here_as_in_the_score() -> None:
    chance = random.Random(2)
    pairs = [[match(chance.randrange(9), chance.randrange(9))] for _ in range(40)]
    sixes = [[match(*(chance.randrange(9) for _ in range(6)))] for _ in range(40)]
    y = np.array([*shares(pairs), *shares(sixes)])
    w = np.array([1.0] * 40 + [1 / 5] * 40)

    score = (w * y).sum() / w.sum()
    expected = Z95 * np.sqrt(80 / 79 * (w**2 * (y - score) ** 2).sum()) / w.sum()

    assert errors([*pairs, *sixes])[0, 1] == pytest.approx(expected)


def test_error_is_unknown_without_scatter() -> None:
    nine = [[match(k % 2, 1 - k % 2)] for k in range(9)]
    always = [[match(0, 1)]] * 50

    assert np.isnan(errors(nine)[0, 1])
    assert errors([*nine, [match(0, 1)]])[0, 1] > 0.2
    assert np.isnan(errors(always)).all()
    apart = errors(
        [*nine, *nine, *([[match(k % 2, 1 - k % 2, players=(3, 4))] for k in range(20)])]
    )
    assert np.isnan(apart[0, 2])
    assert not np.isnan(apart[2, 3])
    assert errors([]).shape == (0, 0)

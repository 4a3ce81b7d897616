"""How far apart two must be for all comparisons of a table to hold at once."""

import numpy as np
import pytest

from arena.tournaments.ratings.together import critical

# Upper 5% points of the studentized range with infinitely many degrees of freedom, from tables.
STUDENTIZED = {2: 2.772, 3: 3.314, 5: 3.858, 10: 4.474, 20: 5.012, 40: 5.499, 100: 6.085}


@pytest.mark.parametrize(("players", "range_"), STUDENTIZED.items())
def test_it_is_tukeys_studentized_range(players: int, range_: float) -> None:
    assert critical(players) == pytest.approx(range_ / 2**0.5, abs=2e-3)


def test_all_pairs_of_equal_bots_are_within_the_critical_distance_in_95_of_100_tables() -> None:
    shown = np.random.default_rng(1).normal(size=(20_000, 12))

    within = np.ptp(shown, axis=1) / 2**0.5 < critical(12)

    assert within.mean() == pytest.approx(0.95, abs=0.005)


def test_single_bot_is_not_compared() -> None:
    assert critical(0) == critical(1) == critical(2)

"""Errors of end values in mean scores."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arena.value import catalog
from arena.value.network import Network
from arena.value.search.rollouts import EndValues, RoundEnds
from arena.value.search.values import doubts, keys_of, trials
from tests.unit.value.test_value_search import decisions


def test_ends_with_nearly_the_same_points_are_in_one_cell_and_finished_ones_in_none() -> None:
    points = np.array([[0, 4], [1, 3], [0, 5], [5, 0], [41, 3]], np.int16)
    finished = np.array([False] * 4 + [True])
    one, same, other, turned, over = keys_of(RoundEnds(points, np.zeros(5, np.int8), finished))
    assert one == same
    assert len({one, other, turned, over}) == 4
    assert over == -1


def test_errors_of_ends_add_up_as_if_each_cell_had_one_error() -> None:
    """Simulated variances, with one error for each cell in all states."""
    rng = np.random.default_rng(1)
    shares = np.array([[0.5, 0.3, 0.2, 0.0], [0.1, 0.3, 0.2, 0.4]])
    keys = np.array([rng.choice(4, 4000, p=p) - 1 for p in shares])  # cell -1: the match is over
    errors = rng.normal(0, 1, (20_000, 4))
    errors[:, 0] = 0
    means = [errors @ np.bincount(own + 1, minlength=4) / 4000 for own in keys]
    own, apart = doubts(keys, 1)
    assert own == pytest.approx([mean.var() for mean in means], rel=0.05)
    assert apart == pytest.approx([(means[0] - means[1]).var(), 0], rel=0.05, abs=1e-3)


def test_a_few_states_give_the_same_on_average() -> None:
    rng = np.random.default_rng(2)
    ends = [np.array([rng.integers(0, 4, 8), rng.integers(0, 8, 8)]) for _ in range(4000)]
    apart = [doubts(each, 0)[1][1] for each in ends]
    assert np.mean(apart) == pytest.approx(1 / 4 + 1 / 8 - 2 * 4 / 32, abs=0.01)


def test_model_card_states_the_error(tmp_path: Path) -> None:
    net = catalog.find("outcome", "lama", 2)
    assert net
    about = json.loads(json.dumps(net.about))
    about["quality"] = {"rms error": 0.012}
    Network(net.layers, about).save(tmp_path / "outcome-lama-2.npz")
    assert EndValues("lama", 2, {}, tmp_path).error == 0.012
    assert EndValues("lama", 2, {"max_rounds": "9"}).error == 0


def test_model_without_error_adds_no_variance() -> None:
    (found,) = trials(decisions("lama", 3, 1), 32, seed=1)
    exact = replace(found, error=0.0)
    wrong = replace(found, error=0.02)
    assert not np.any(exact.doubts(0))
    own, apart = wrong.doubts(0)
    assert 0 < own[0] < 0.02**2
    assert math.isclose(apart[1], wrong.doubts(1)[1][0])

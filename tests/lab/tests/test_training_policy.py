"""Training of policy nets, and how strong policies are."""

import json
from pathlib import Path

import numpy as np
import pytest

from arena.base.errors import InvalidRequest
from arena.value import catalog, policy_net
from arena.value.network import Floats
from arena.value.strategies import house_policy
from tests.lab.commands.root import lab
from tests.lab.strength import Strength, compare
from tests.lab.training.policy import train
from tests.lab.training.policy_losses import SCALE, Advantage
from tests.lab.training.tables import Judged, Table

pytestmark = pytest.mark.lab


def digest(seed: int) -> list[bytes]:
    return [weights.tobytes() for weights, _ in train("lama", 2, seed, 4, catalog.NETS)]


def test_training_is_repeatable() -> None:
    assert digest(5) == digest(5) != digest(6)


def test_the_worth_of_going_out_is_seen() -> None:
    # Given matches in which somebody can play their last card
    table = Table("lama", 2, 400, np.random.default_rng(1))
    games = table.games
    for _ in range(200):
        one_left = games.sizes[np.arange(400), games.seat] == 1  # type: ignore[attr-defined]
        among = np.flatnonzero(one_left & games.legal[:, 2:9].any(axis=1) & (games.phase == 0))
        if len(among) >= 20:
            break
        table.advance(table.house())
    # When all actions are judged
    worth = table.judge(among, ())
    # Then playing it is worth more than to quit, mostly: other cards and points matter, too
    legal = games.legal[among]
    play = np.where(legal[:, 2:9], worth[:, 2:9], -1).max(axis=1)
    assert (play > worth[:, 0]).mean() > 0.8
    assert np.allclose(worth.sum(axis=1), 0, atol=1e-5)


def test_the_loss_falls_along_its_slope_and_heeds_legal_actions_only() -> None:
    legal = np.array([[True, True, False], [False, True, True]])
    worth = np.array([[0.01, -0.01, 0], [0, -0.03, 0.03]], np.float32)
    loss = Advantage(Judged(np.zeros((2, 1), np.float32), legal, worth))
    rows, made = np.arange(2), np.zeros((2, 3), np.float32)
    before, slopes = loss(made, rows)
    after, _ = loss(made - 0.1 * slopes, rows)
    assert after < before
    assert (slopes[~legal] == 0).all()
    perfect: Floats = (worth / SCALE).astype(np.float32)
    assert loss(perfect, rows)[0] == pytest.approx(0)


def test_the_command_writes_one_net_for_all_seats(tmp_path: Path) -> None:
    words = ["policy", "--game", "dice", "--size", "0.001", "--seed", "3", "--to", str(tmp_path)]
    lab(["train", *words], standalone_mode=False)
    assert policy_net.find("dice", 2, folder=tmp_path) is not None
    card = json.loads((tmp_path / "policy-dice.json").read_text())
    assert card["command"] == "python -m tests.lab train policy --game dice --size 0.001 --seed 3"


def test_a_policy_is_not_trained_for_one_number_of_seats(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="Remove --seats"):
        lab(["train", "policy", "--seats", "4", "--to", str(tmp_path)], standalone_mode=False)


def test_the_strength_of_a_policy_against_itself_is_even() -> None:
    sharp = house_policy("sharp")
    found = compare("lama", 4, sharp, sharp, 60, seed=1)
    assert found.score == pytest.approx(0.5)  # all rotations of the same cards
    assert found.matches == 240


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_better_policy_is_found_to_be_better(seats: int) -> None:
    better, worse = house_policy("sharp"), house_policy("stubborn")
    one = compare("lama", seats, better, worse, 200, seed=1)
    other = compare("lama", seats, worse, better, 200, seed=2)
    assert one.score - 3 * one.error > 0.5 > other.score + 3 * other.error


def test_elo_is_that_of_the_score() -> None:
    found = Strength(score=0.64, error=0.01, matches=400)
    assert found.elo == pytest.approx(100, abs=0.1)
    assert found.elo_error == pytest.approx(14.8, abs=0.1)

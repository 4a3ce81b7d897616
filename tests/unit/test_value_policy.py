"""Policy nets: what they are told, how they are trained, and how strong policies are."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pytest

from arena.base.errors import InvalidRequest
from arena.games.batch import BATCHES, batch_class
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.kit import train as command
from arena.kit.commands import run
from arena.value import catalog, policy_net
from arena.value.features import features
from arena.value.network import Floats
from arena.value.policy import house_policy
from arena.value.policy_net import drawn, likelihoods
from arena.value.strength import Strength, compare
from arena.value.training.policy import train
from arena.value.training.policy_losses import SCALE, Advantage
from arena.value.training.tables import Judged, Table

SEED = bytes(range(16))
SEATS = range(FEWEST_SEATS, MOST_SEATS + 1)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("game", BATCHES)
def test_a_policy_net_is_told_only_what_the_seat_may_know(game: str, seats: int) -> None:
    games, rng = batch_class(game)(50, seats, SEED), np.random.default_rng(1)
    for _ in range(20):
        games.step(games.random_actions(rng))
        games.restart()
        other = games.copy()
        other.determinize()  # what the seats do not know is drawn anew
        assert (features(other) == features(games)).all()


@pytest.mark.parametrize("game", BATCHES)
def test_it_is_told_the_same_columns_at_every_number_of_seats(game: str) -> None:
    widths = {features(batch_class(game)(3, seats, SEED)).shape[1] for seats in SEATS}
    assert len(widths) == 1


@pytest.mark.parametrize("game", BATCHES)
def test_it_is_told_what_sharp_would_do(game: str) -> None:
    games, sharp = batch_class(game)(200, 4, SEED), house_policy("sharp")
    rng = np.random.default_rng(1)
    for _ in range(12):
        games.step(games.random_actions(rng))
        games.restart()
    actions = len(games.rules.notation)
    told = features(games)[:, -actions - 1 : -1]
    assert (told.argmax(axis=1) == sharp(games, rng)).all()
    assert (told.sum(axis=1) == 1).all()


@pytest.mark.long
@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("game", BATCHES)
def test_the_net_of_the_package_plays_every_table(game: str, seats: int) -> None:
    net, rng = policy_net.find(game, seats), np.random.default_rng(1)
    assert net is not None
    games = batch_class(game)(30, seats, SEED)
    for _ in range(60):  # an action that is not legal would be refused
        games.step(net(games, rng) if rng.random() < 0.5 else net.sampled(games, rng))
        games.restart()


@pytest.mark.parametrize("game", BATCHES)
def test_each_policy_net_has_a_true_card(game: str) -> None:
    card = json.loads((catalog.NETS / f"policy-{game}.json").read_text())
    net = policy_net.find(game, 4)
    assert net
    assert card["sha256"] == net.version


# Training


def digest(seed: int) -> list[bytes]:
    return [weights.tobytes() for weights, _ in train("lama", 2, seed, 4, catalog.NETS)]


@pytest.mark.long
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


@pytest.mark.long
def test_the_command_writes_one_net_for_all_seats(tmp_path: Path) -> None:
    words = ["policy", "--game", "dice", "--size", "0.001", "--seed", "3", "--to", str(tmp_path)]
    assert run("train", words) == 0
    assert policy_net.find("dice", 2, folder=tmp_path) is not None
    card = json.loads((tmp_path / "policy-dice.json").read_text())
    assert card["command"] == "arena train policy --game dice --size 0.001 --seed 3"


def test_a_policy_is_not_trained_for_one_number_of_seats(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="leave --seats out"):
        command.run(_arguments("policy", "--seats", "4", "--to", str(tmp_path)))


def _arguments(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(words)


# Drawing actions


def test_actions_are_drawn_as_often_as_their_share() -> None:
    logits = np.tile(np.array([[-np.inf, 0, np.log(3)]], np.float32), (20_000, 1))
    chosen = drawn(likelihoods(logits), np.random.default_rng(1))
    assert np.bincount(chosen, minlength=3) / len(chosen) == pytest.approx(
        [0, 0.25, 0.75], abs=0.02
    )


# Strength


def test_the_strength_of_a_policy_against_itself_is_even() -> None:
    sharp = house_policy("sharp")
    found = compare("lama", 4, sharp, sharp, 60, seed=1)
    assert found.score == pytest.approx(0.5)  # all rotations of the same cards
    assert found.matches == 240


@pytest.mark.long
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

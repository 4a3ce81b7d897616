"""Policy models: their inputs, training and drawing of actions."""

import json

import numpy as np
import pytest

from arena.games.batch import BATCHES, batch_class
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.value import catalog, policy_net
from arena.value.policy_net import drawn, features, likelihoods
from arena.value.strategies import house_policy

SEED = bytes(range(16))
SEATS = range(FEWEST_SEATS, MOST_SEATS + 1)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("game", BATCHES)
def test_policy_inputs_contain_no_hidden_cards(game: str, seats: int) -> None:
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
def test_inputs_include_the_action_of_sharp(game: str) -> None:
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
def test_packaged_model_plays_every_number_of_seats(game: str, seats: int) -> None:
    net, rng = policy_net.find(game, seats), np.random.default_rng(1)
    assert net is not None
    games = batch_class(game)(30, seats, SEED)
    for _ in range(60):  # an action that is not legal would be refused
        games.step(net(games, rng) if rng.random() < 0.5 else net.sampled(games, rng))
        games.restart()


@pytest.mark.parametrize("game", BATCHES)
def test_each_policy_model_has_a_correct_card(game: str) -> None:
    card = json.loads((catalog.NETS / f"policy-{game}.json").read_text())
    net = policy_net.find(game, 4)
    assert net
    assert card["sha256"] == net.network.digest


# Drawing actions


def test_actions_are_drawn_as_often_as_their_share() -> None:
    logits = np.tile(np.array([[-np.inf, 0, np.log(3)]], np.float32), (20_000, 1))
    chosen = drawn(likelihoods(logits), np.random.default_rng(1))
    assert np.bincount(chosen, minlength=3) / len(chosen) == pytest.approx(
        [0, 0.25, 0.75], abs=0.02
    )

"""The house bots for many games at once choose what the house bots choose."""

from __future__ import annotations

import numpy as np
import pytest

from arena.batch import BATCHES, batch_class
from arena.batch.chance import AS_IN_ARENA
from arena.bots import HOUSE
from arena.value.house import NAMES, house_policy

SEED = bytes(range(16))
MATCHES = 12
RANDOM_SHARE = 0.1  # so that they also meet what they would not bring about


@pytest.mark.parametrize("name", [name for name in NAMES if name != "random"])
@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize("game", BATCHES)
def test_a_house_policy_chooses_what_the_house_bot_chooses(
    game: str, seats: int, name: str
) -> None:
    # Given matches played both ways, with the same cards
    games = batch_class(game)(MATCHES, seats, SEED, chance=AS_IN_ARENA)
    alone = [games.rules(seats, games.seed_of(number)) for number in range(MATCHES)]
    bot, policy, rng = HOUSE[name](), house_policy(game, name), np.random.default_rng(1)
    decisions = 0
    while not games.finished.all() and decisions < 500:
        # When all of them decide
        chosen = policy(games, rng)
        # Then each chooses as the bot does
        play = np.where(rng.random(MATCHES) < RANDOM_SHARE, games.random_actions(rng), chosen)
        for single, action, played in zip(alone, chosen.tolist(), play.tolist(), strict=True):
            if not single.finished:
                assert games.rules.notation[action] == bot.choose(single.view())
                single.apply(played)
                decisions += 1
        games.step(play)
    assert decisions > 100


def test_the_policies_are_those_of_all_house_bots() -> None:
    assert set(NAMES) == set(HOUSE)

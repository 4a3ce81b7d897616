"""Strategies for many games at once choose the same actions as the house bots."""

import numpy as np
import pytest

from arena.bots import dice, kadabra, lama, party
from arena.games.batch import batch_class
from arena.games.batch.chance import AS_IN_ARENA
from arena.games.rules import GAMES
from arena.value.strategies import STYLES, choose, deciding
from arena.value.strategies.styles import RANDOM

SEED = bytes(range(16))
STRATEGIES = {
    "lama": lama.STRATEGIES,
    "party": party.STRATEGIES,
    "dice": dice.STRATEGIES,
    "kadabra": kadabra.STRATEGIES,
}


def test_every_strategy_of_every_game_has_its_twin() -> None:
    assert all(tuple(named) == STYLES for named in STRATEGIES.values())


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize("name", GAMES)
def test_batch_strategies_choose_like_the_bots(name: str, seats: int) -> None:
    games = batch_class(name)(12, seats, SEED, chance=AS_IN_ARENA)
    alone = [games.rules(seats, games.seed_of(game)) for game in range(12)]
    rng, compared = np.random.default_rng(1), 0
    styles = rng.integers(len(STYLES), size=(12, seats))
    while not games.finished.all():
        by_game = deciding(games, styles)
        actions = choose(games, by_game, rng)
        for game, style, action in zip(alone, by_game.tolist(), actions.tolist(), strict=True):
            if game.finished:
                continue
            if style != RANDOM and len(game.legal_actions) > 1:
                compared += 1
                bot = STRATEGIES[name][STYLES[style]]
                assert game.notation[action] == bot.choose(game.view())
            game.apply(action)
        games.step(actions)
    assert compared > 500


@pytest.mark.parametrize("name", GAMES)
def test_random_actions_are_legal_and_differ(name: str) -> None:
    games = batch_class(name)(500, 2, SEED)
    actions = choose(games, np.full(500, RANDOM), np.random.default_rng(1))
    assert games.legal[np.arange(500), actions].all()
    assert len(np.unique(actions)) > 1

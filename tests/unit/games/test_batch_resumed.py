"""Batches that are resumed from the views of the deciding seats."""

import numpy as np
import pytest

from arena.games.batch import BATCHES, Games, batch_class
from arena.games.batch.chance import AS_IN_ARENA
from arena.games.batch.dice import DiceGames
from arena.games.batch.shedding import SheddingGames
from arena.games.decisions import Decisions
from arena.games.rules import Game
from arena.games.rules.view import View
from tests.lockstep import SEED

MATCHES, LOOKS = 60, 40


def played(name: str, seats: int, steps: int) -> tuple[Games, list[Game]]:
    """The same matches both ways, some random decisions on."""
    games = batch_class(name)(MATCHES, seats, SEED, chance=AS_IN_ARENA)
    alone = [games.rules(seats, games.seed_of(game)) for game in range(MATCHES)]
    rng = np.random.default_rng(steps)
    for _ in range(steps):
        if (~games.finished).sum() < MATCHES // 4:
            break
        actions = games.random_actions(rng)
        for game, action in zip(alone, actions.tolist(), strict=True):
            if not game.finished:
                game.apply(action)
        games.step(actions)
    going = np.flatnonzero(~games.finished)
    return games.select(going), [alone[game] for game in going]


def views_of(alone: list[Game]) -> list[View]:
    return [game.view("m", 1) for game in alone]


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 4, 6])
@pytest.mark.parametrize("name", BATCHES)
def test_resumed_game_matches_the_view_and_continues_like_the_real_one(
    name: str, seats: int
) -> None:
    phases = set()
    for steps in range(0, LOOKS, 3):
        # Given games resumed from views
        real, alone = played(name, seats, steps)
        phases |= set(real.phase.tolist())
        resumed = batch_class(name).resumed(Decisions.of(views_of(alone)), SEED)
        # Then the seats see and may do the same
        assert (resumed.observe() == real.observe()).all()
        assert (resumed.legal == real.legal).all()
        # And with the hidden cards of the real games they go on alike, to the next round
        give_hidden(resumed, real)
        rounds, rng = real.round.copy(), np.random.default_rng(1)
        for _ in range(12):
            actions = real.random_actions(rng)
            real.step(actions)
            resumed.step(actions)
            same = (real.round == rounds) & ~real.finished
            assert (resumed.points == real.points).all()
            assert (resumed.finished == real.finished).all()
            begun = ~same & ~real.finished
            assert (resumed.starter[begun] == real.starter[begun]).all()
            if not same.any():
                break
            real, resumed = real.select(np.flatnonzero(same)), resumed.select(np.flatnonzero(same))
            rounds = rounds[same]
            assert (resumed.observe() == real.observe()).all()
    assert len(phases) >= len(real.rules.phases) - 1  # returns are rare among random players


def give_hidden(resumed: Games, real: Games) -> None:
    if isinstance(resumed, DiceGames) and isinstance(real, DiceGames):
        resumed.chance, resumed.seeds, resumed.rolls = real.chance, real.seeds, real.rolls.copy()
    if isinstance(resumed, SheddingGames) and isinstance(real, SheddingGames):
        resumed.hands, resumed.held = real.hands.copy(), real.held.copy()
        resumed.decks = real.decks.copy()


@pytest.mark.parametrize("name", ["lama", "party", "kadabra"])
def test_the_hidden_cards_are_drawn_from_those_that_the_seat_has_not_seen(name: str) -> None:
    _, alone = played(name, 3, 6)
    games = batch_class(name).resumed(Decisions.of(views_of(alone)), SEED)
    assert isinstance(games, SheddingGames)
    assert (games.hands.sum(axis=2) == games.sizes).all()
    for game in range(len(games)):
        pile = np.bincount(games.decks[game, games.drawn[game] :], minlength=games.hands.shape[2])
        everything = games.hands[game].sum(axis=0) + games.discarded[game] + pile
        assert (everything == np.bincount(games.deck, minlength=len(everything))).all()
    again = batch_class(name).resumed(Decisions.of(views_of(alone)), bytes(16))
    assert isinstance(again, SheddingGames)
    assert (again.hands != games.hands).any()

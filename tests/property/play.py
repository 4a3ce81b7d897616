"""Matches for property tests: any game, any number of seats, several ways of playing."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import TypeVar

import pytest
from hypothesis import strategies as st

from arena.games.rules import GAMES, Game
from arena.games.rules.dice import DISCARDS, FIRST_DISCARD, Dice
from arena.games.rules.shedding import PLAY, QUIT, SheddingGame

AnyGame = TypeVar("AnyGame", bound=Game)

every_game = pytest.mark.parametrize("kind", GAMES.values(), ids=GAMES)
card_games = pytest.mark.parametrize(
    "kind",
    [kind for kind in GAMES.values() if issubclass(kind, SheddingGame)],
    ids=lambda k: k.name,
)

seats = st.integers(2, 6)
seeds = st.binary(min_size=16, max_size=16)
chances = st.integers(0, 2**32).map(random.Random)
# How reluctant to quit: not at all, as a fair player, and hardly ever.
patiences = st.sampled_from([0.0, 0.8, 0.98])


def choose(game: Game, chance: random.Random, patience: float) -> int:
    """An offered action at random; a patient player looks again before he quits."""
    choice = chance.choice(game.legal_actions)
    if choice == QUIT and chance.random() < patience:
        return chance.choice([action for action in game.legal_actions if action != QUIT] or [QUIT])
    return choice


def states(game: AnyGame, chance: random.Random, patience: float) -> Iterator[AnyGame]:
    """The game in each of its states, the last one too."""
    while not game.finished:
        yield game
        game.apply(choose(game, chance, patience))
    yield game


def played_out(game: AnyGame, chance: random.Random, patience: float) -> AnyGame:
    """The game at its end."""
    return list(states(game, chance, patience))[-1]


def held(game: Game) -> list[Counter[int]]:
    """Cards by seat, quit or not."""
    assert isinstance(game, SheddingGame | Dice)
    piles = game.rows if isinstance(game, Dice) else game.hands
    return [Counter({kind: count for kind, count in enumerate(pile) if count}) for pile in piles]


def discarded(game: Game) -> list[int]:
    """Cards out of hand, oldest first; in the card games the start card too."""
    actions = [action for _, action in game.log.moves]
    if isinstance(game, Dice):
        discards = [a - FIRST_DISCARD for a in actions if FIRST_DISCARD <= a < game.keep]
        return [kind for place in discards for kind in DISCARDS[place]]
    assert isinstance(game, SheddingGame)
    return [game.start, *[action - PLAY for action in actions if PLAY <= action < game.keep]]


def unseen(game: Game) -> list[int]:
    """The pile, or the cards put aside in Dice."""
    if isinstance(game, Dice):
        return game.log.deck[6 * game.seats :]
    assert isinstance(game, SheddingGame)
    return game.log.deck[game.drawn :]

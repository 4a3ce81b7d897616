"""Reviews judge a decision by the seat's information; hidden information does not matter."""

import random

import pytest
from hypothesis import given, settings

from arena.games.rules import Game
from arena.value.review.review import Choice, judged
from arena.value.review.values import Reviewer, evaluate
from tests.property.play import chances, every_game, patiences, seats, seeds, states
from tests.property.test_secrets import permuted

REVIEWER = Reviewer("a small sample", 6)


@pytest.mark.long
@every_game
@settings(max_examples=6)
@given(seats, seeds, chances, patiences)
def test_the_hidden_cards_do_not_change_the_review_of_a_decision(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    # Given decisions of a match, and the same with all shuffled that the seat did not know
    real: list[Choice] = []
    other: list[Choice] = []
    for game in states(kind(n, seed), chance, patience):
        if not game.finished and len(game.legal_actions) > 1 and chance.random() < 0.5:
            action = game.notation[chance.choice(game.legal_actions)]
            real.append(Choice(game.view("m", 1 + len(real)), action))
            hidden = permuted(game, chance)
            other.append(Choice(hidden.view("m", 1 + len(other)), action))
    real, other = real[:12], other[:12]

    # When both are reviewed, then nothing differs, to the last bit
    reviews = [list(judged(found, evaluate, REVIEWER, 7)) for found in (real, other)]
    assert reviews[0] == reviews[1]

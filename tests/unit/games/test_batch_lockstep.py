"""Games played as a batch are move for move those that `arena.games.rules` plays one by one."""

from collections import Counter

import numpy as np
import pytest

from arena.games.batch import BATCHES, batch_class
from arena.games.batch.chance import AS_IN_ARENA
from arena.games.rules import GAMES
from arena.games.rules.kadabra import Kadabra
from tests.lockstep import SEED, both_ways, compare_states

SEATS = [2, 3, 4, 5, 6]
OPTIONS = [
    ("lama", {"max_rounds": "2"}),
    ("dice", {"dice.faces": "1 2 3 5 llama llama / 1 2 4 6 llama llama / 3 4 5 6 llama llama"}),
    ("kadabra", {"kadabra.specials": "1o:3 2*:7 5#:7 6#:8"}),
    ("kadabra", {"kadabra.specials": "", "max_rounds": "3"}),
]
CARDS = {  # with which a player can go out, and then gets what the variant has to say about it
    "lama": ["1", "llama"],
    "party": ["1", "3+", "llama", "pink"],
    "dice": [],
    "kadabra": ["1o", "2", "2/3", "4#", "5*", "llama"],
}
SITUATIONS = {
    "lama": ["empty pile", "turn alone", "return alone", "all quit without a card played"],
    "party": ["empty pile", "turn alone", "return alone", "return 20"],
    "dice": ["turn alone", "return alone", "discard alone", "take llama", "discard llama llama"],
    "kadabra": ["empty pile", "turn alone", "show alone", "collect", "swap", "return magic"],
}


def test_every_game_can_be_played_as_a_batch() -> None:
    assert {name: batch.rules for name, batch in BATCHES.items()} == GAMES


@pytest.mark.long
@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("name", GAMES)
def test_a_batch_is_in_step_with_single_games(name: str, seats: int) -> None:
    happened = both_ways(name, seats, count=20)
    assert happened["quit"] > 20


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_a_batch_is_in_step_under_options(name: str, options: dict[str, str]) -> None:
    assert both_ways(name, 3, 20, options)["quit"] > 20


def test_kad_34_player_who_draws_by_a_last_card_alone_has_not_gone_out() -> None:
    cards = [*["2"] * 5, "2#", *["1o"] * 6, "2*"]
    given = [Kadabra.kinds.index(card) for card in cards]
    rest = Counter(Kadabra.deck) - Counter(given)
    deck = [*given, *rest.elements()]
    games = batch_class("kadabra")(1, 2, SEED, chance=AS_IN_ARENA)
    alone = Kadabra(2, games.seed_of(0))
    games.deal(np.array([0]), np.array([deck]), np.array([0]))
    alone.deal(deck, starter=0)
    for text in ["play 2", "quit", *["play 2"] * 4, "play 2#"]:
        games.step(np.array([alone.parse(text)]))
        alone.apply(alone.parse(text))
        compare_states(games, [alone])
    assert games.round[0] == 3


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", GAMES)
def test_a_batch_is_in_step_in_rare_situations(name: str) -> None:
    happened = sum((both_ways(name, seats, 60, seed=seats) for seats in SEATS), Counter[str]())
    wanted = [*SITUATIONS[name], *(f"last card {card}" for card in CARDS[name])]
    assert not [situation for situation in wanted if not happened[situation]]
    assert all(happened[f"return {token}"] for token in GAMES[name].returns)

"""Games played as a batch are move for move those that `arena.rules` plays one by one."""

from __future__ import annotations

from collections import Counter

import pytest

from arena.batch import BATCHES
from arena.rules import GAMES
from tests.lockstep import both_ways

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
    assert list(BATCHES) == list(GAMES)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("name", GAMES)
def test_a_batch_is_in_step_with_single_games(name: str, seats: int) -> None:
    happened = both_ways(name, seats, count=20)
    assert happened["quit"] > 20


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_a_batch_is_in_step_under_options(name: str, options: dict[str, str]) -> None:
    assert both_ways(name, 3, 20, options)["quit"] > 20


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", GAMES)
def test_a_batch_is_in_step_in_rare_situations(name: str) -> None:
    happened = sum((both_ways(name, seats, 200, seed=seats) for seats in SEATS), Counter[str]())
    wanted = [*SITUATIONS[name], *(f"last card {card}" for card in CARDS[name])]
    assert not [situation for situation in wanted if not happened[situation]]
    assert all(happened[f"return {token}"] for token in GAMES[name].returns)

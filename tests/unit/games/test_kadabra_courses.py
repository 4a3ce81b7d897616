"""LLAMA Kadabra: the magic show and the ways of tokens, enumerated."""

from itertools import product

import pytest

from arena.games.rules.kadabra import Kadabra
from arena.games.rules.kadabra_tokens import POOL, STAGE
from tests.tables import act, kadabra, legal_actions

PURSES = [(0, 0), (1, 0), (0, 1), (2, 1), (10, 0), (11, 1)]
PLACES: list[int | str] = ["pool", "stage", 0, 1]


@pytest.mark.parametrize("llama", [False, True])
@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("show", [False, True])
def test_every_turn_in_and_out_of_a_show(show: bool, alone: bool, llama: bool) -> None:
    """The offered actions, against the rule sheet, for all tokens and places of the magic token."""
    for purse, magic in product(PURSES, PLACES):
        game = kadabra(
            ["1 5 llama" if llama else "1 5", "1"], top="llama", tokens=[purse, (0, 0)],
            stage=(5, 0), magic=magic, show=show, quitters=(1,) if alone else (),
        )  # fmt: skip
        usual = {"play 1", "quit"} | (set() if alone else {"draw"})
        expected = {"collect"} if show else usual
        if llama:
            expected |= {"play llama"}
        if magic == 0 and not alone:
            expected |= {"return magic"}
        if purse[0] >= 10:
            expected |= {"swap"}
        assert legal_actions(game) == expected


def lowest(purse: tuple[int, int], magic: bool) -> str:
    """Which token goes first."""
    whites, blacks = purse
    return "white" if whites else "black" if blacks else "magic" if magic else "none"


@pytest.mark.parametrize("card", ["llama", "1o"])
def test_every_way_of_a_lowest_token(card: str) -> None:
    """On the stage by a llama, to another player by a 1o, whatever he has."""
    for purse, place in product(PURSES, PLACES):
        game = kadabra(
            [f"{card} 5", "1", "1"], top="llama", tokens=[purse, (0, 0), (0, 0)], magic=place
        )
        token = lowest(purse, place == 0)
        act(game, f"0 play {card}")
        if card == "1o" and token != "none":
            act(game, "0 give +2")
        else:
            assert game.phase == "turn"
        goal = game.stage if card == "llama" else game.tokens[2]
        assert (goal.whites, goal.blacks) == (token == "white", token == "black")
        assert (game.tokens[0].whites, game.tokens[0].blacks) == (
            purse[0] - goal.whites,
            purse[1] - goal.blacks,
        )
        was = {"pool": POOL, "stage": STAGE}.get(str(place), place)
        moved = STAGE if card == "llama" else 2
        assert game.magic == (moved if token == "magic" else was)


def courses(game: Kadabra) -> list[str]:
    """All that can happen until the round is scored, each as the moves from here on."""
    found = []
    for action in game.legal_actions:
        after = game.clone()
        move = f"{after.seat} {after.notation[action]}"
        after.apply(action)
        over = after.phase == "return" or after.finished or after.round > game.round
        found += [move] if over else [f"{move}, {rest}" for rest in courses(after)]
    return found


ALL_COURSES = """
0 quit, 1 quit
0 quit, 1 play llama, 1 collect, 1 quit
0 quit, 1 play llama, 1 collect, 1 play 1o
0 play llama, 1 play llama, 0 collect, 0 quit, 1 quit
0 play llama, 1 play llama, 0 collect, 0 quit, 1 play 1o
0 play llama, 1 play llama, 0 collect, 0 return magic, 1 quit, 0 quit
0 play llama, 1 play llama, 0 collect, 0 return magic, 1 play 1o
0 play llama, 1 collect, 1 quit, 0 quit
0 play llama, 1 collect, 1 play llama, 0 quit, 1 quit
0 play llama, 1 collect, 1 play llama, 0 quit, 1 play 1o
0 play llama, 1 collect, 1 play 1o, 1 give +1, 0 quit, 1 quit
0 play llama, 1 collect, 1 return magic, 0 quit, 1 quit
0 play llama, 1 collect, 1 return magic, 0 quit, 1 play 1o, 1 quit
0 play llama, 1 collect, 1 return magic, 0 quit, 1 play llama, 1 quit
0 play llama, 1 collect, 1 return magic, 0 quit, 1 play llama, 1 play 1o
0 play llama, 1 return magic, 0 collect, 0 quit, 1 quit
0 play llama, 1 return magic, 0 collect, 0 quit, 1 play 1o, 1 quit
0 play llama, 1 return magic, 0 collect, 0 quit, 1 play llama, 1 quit
0 play llama, 1 return magic, 0 collect, 0 quit, 1 play llama, 1 play 1o
"""


def test_all_courses_of_a_show_are_those_found_by_hand() -> None:
    """Four whites lie on the stage; seat 0 has one white, seat 1 the magic token only."""
    game = kadabra(
        ["llama 5", "llama 1o"], top="6", pile="", stage=(4, 0), magic=1,
        tokens=[(1, 0), (0, 0)],
    )  # fmt: skip
    assert sorted(courses(game)) == sorted(ALL_COURSES.strip().splitlines())

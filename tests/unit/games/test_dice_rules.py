"""LAMA Dice rule by rule; a test's name begins with the IDs it holds (docs/rules.md)."""

from collections import Counter
from itertools import combinations_with_replacement, product

import pytest

from arena.games.rules.dice import Dice
from arena.games.rules.dice_rolls import faces_of, rolled
from arena.games.rules.lama import CARDS
from tests.tables import FULL_LLAMA_ROW, SEED, act, dice, legal_actions, rounds_over

LLL = "0 roll llama llama llama"
DEFAULT_FACES = Dice.check_options({})["dice.faces"]


def row(game: Dice, seat: int) -> str:
    return " ".join(game.cards(game.rows[seat]))


def test_dice_1_the_llama_row_has_one_card_of_each_value() -> None:
    assert Dice(3, SEED).view().llama_row == CARDS


def test_dice_2_the_other_36_cards_are_dealt_six_to_each() -> None:
    deck = Counter(CARDS[kind] for kind in Dice.deck)
    assert deck == dict.fromkeys("123456", 5) | {"llama": 6}
    for seats in range(2, 7):
        game = Dice(seats, SEED)
        assert game.view().hand_sizes == (6,) * seats
        assert len(game.log.deck) == 36


def test_dice_3_dice_4_every_number_is_on_two_of_three_dice_with_two_llamas_each() -> None:
    faces = faces_of(DEFAULT_FACES)
    assert [die.count(6) for die in faces] == [2, 2, 2]
    shown = Counter(face for die in faces for face in die)
    assert shown == {6: 6} | dict.fromkeys(range(6), 2)
    assert DEFAULT_FACES == ("1 2 3 4 llama llama / 1 2 5 6 llama llama / 3 4 5 6 llama llama")


def test_dice_4_the_faces_are_an_option_in_a_normal_form() -> None:
    asked = "llama 6 llama 4 5 3/ 1 2 3 5 llama llama /6 4 llama llama 2 1"
    normal = "3 4 5 6 llama llama / 1 2 3 5 llama llama / 1 2 4 6 llama llama"
    game = Dice(2, SEED, {"dice.faces": asked})
    assert game.options["dice.faces"] == normal
    assert game.changed_options == {"dice.faces": normal}
    assert {game.faces[1][k] for k in range(6)} == {0, 1, 2, 4, 6}


def test_dice_4_chances_are_those_of_the_dice() -> None:
    """8 of 216 rolls are three llamas, 152 show a llama, 66 show any given number."""
    rolls = list(product(*faces_of(DEFAULT_FACES)))
    assert len(rolls) == 216
    assert rolls.count((6, 6, 6)) == 8
    assert sum(6 in roll for roll in rolls) == 152
    assert [sum(n in roll for roll in rolls) for n in range(6)] == [66] * 6
    shown = Counter(rolled(SEED, 1, j, faces_of(DEFAULT_FACES)) for j in range(1, 5000))
    assert set(shown) == set(rolls)


def test_dice_5_everyone_starts_without_tokens() -> None:
    view = Dice(4, SEED).view()
    assert view.whites == view.blacks == view.points == (0,) * 4


def test_dice_6_all_rows_and_the_llama_row_are_open() -> None:
    game = dice(["1 2", "3 llama", "4"], llama_row="5 6", quitters=(1,))
    view = game.view()
    assert view.rows == (("1", "2"), ("3", "llama"), ("4",))
    assert view.llama_row == ("5", "6")
    assert view.hand == ("1", "2")


def test_dice_7_a_turn_is_to_roll_or_to_quit() -> None:
    assert legal_actions(Dice(2, SEED)) == {"roll", "quit"}


@pytest.mark.parametrize("held", ["1 2", "llama llama 3"])
def test_dice_8_three_llamas_let_a_token_go_back_and_no_card(held: str) -> None:
    game = dice([held, "1"], tokens=[(2, 1), (0, 0)])
    act(game, LLL)
    assert (game.seat, game.phase) == (0, "return")
    assert legal_actions(game) == {"keep", "return 1", "return 10"}
    act(game, "0 return 10")
    assert (game.seat, game.phase, row(game, 0)) == (
        1,
        "turn",
        held.replace("llama llama 3", "3 llama llama"),
    )
    assert game.points == [2, 0]
    assert game.view().llama_row == CARDS
    assert rounds_over(game) == 0


def test_dice_8_three_llamas_have_no_effect_without_a_token() -> None:
    game = dice(["llama", "1"], llama_row="1")
    act(game, LLL)
    assert (game.seat, game.phase, row(game, 0)) == (1, "turn", "llama")


def test_dice_8_three_llamas_may_be_declined() -> None:
    game = dice(["1", "1"], tokens=[(0, 1), (0, 0)])
    act(game, LLL, "0 keep")
    assert game.seat == 1
    assert game.points == [10, 0]


def test_dice_9_dice_11_at_least_one_matching_card_must_go() -> None:
    game = dice(["1 2 4", "1"])
    act(game, "0 roll 1 2 6")
    assert game.phase == "discard"
    assert legal_actions(game) == {"discard 1", "discard 2", "discard 1 2"}
    act(game, "0 discard 1")
    assert (row(game, 0), game.seat) == ("2 4", 1)


@pytest.mark.parametrize(
    ("held", "roll", "choices"),
    [
        ("5 5 5 2", "5 5 2", {"5", "5 5", "2", "2 5", "2 5 5"}),
        ("5 5", "5 2 2", {"5"}),
        ("5 5", "5 5 2", {"5", "5 5"}),
        ("5", "5 5 2", {"5"}),
    ],
)
def test_dice_10_of_each_value_one_card_a_die(held: str, roll: str, choices: set[str]) -> None:
    game = dice([held, "1"])
    act(game, f"0 roll {roll}")
    assert legal_actions(game) == {f"discard {choice}" for choice in choices}


def test_dice_12_without_a_match_one_rolled_card_of_the_llama_row_is_taken() -> None:
    game = dice(["1 1", "1"], llama_row="2 3 4")
    act(game, "0 roll 2 4 6")
    assert game.phase == "take"
    assert legal_actions(game) == {"take 2", "take 4"}
    act(game, "0 take 4")
    assert row(game, 0) == "1 1 4"
    assert game.view().llama_row == ("2", "3")
    assert game.seat == 1


def test_dice_12_a_card_that_can_go_comes_before_one_that_is_taken() -> None:
    game = dice(["1 1", "1"], llama_row="2 3 4")
    act(game, "0 roll 1 2 4")
    assert legal_actions(game) == {"discard 1"}


def test_dice_13_dice_22_without_any_match_the_whole_llama_row_is_taken_and_the_round_over() -> (
    None
):
    game = dice(["1 1", "2", "3"], llama_row="2 3 llama")
    act(game, "0 roll 4 5 6")
    assert rounds_over(game) == 1
    assert game.rounds[0].penalties == [1 + 2 + 3 + 10, 2, 3]
    assert game.rounds[1].starter == 0


@pytest.mark.parametrize(
    ("held", "choices"),
    [
        ("2 llama", {"discard 2", "discard llama", "discard 2 llama"}),
        ("llama llama llama", {"discard llama", "discard llama llama"}),
        ("3", {"take 2", "take llama"}),
    ],
)
def test_dice_14_two_llamas_and_a_number_are_nothing_special(held: str, choices: set[str]) -> None:
    game = dice([held, "1"], tokens=[(3, 0), (0, 0)])
    act(game, "0 roll llama llama 2")
    assert legal_actions(game) == choices


def test_dice_15_the_turn_passes_to_the_next_active_player() -> None:
    game = dice(["1 2", "1", "1 2"], quitters=(1,))
    act(game, "0 roll 1 3 4", "0 discard 1")
    assert game.seat == 2


def test_dice_16_discarded_cards_do_not_come_back() -> None:
    game = dice(["1 2", "1 2 3"], llama_row="3 4 5")
    act(game, "0 roll 3 4 llama", "0 take 3", "1 roll 1 4 5", "1 discard 1")
    assert (row(game, 0), row(game, 1)) == ("1 2 3", "2 3")
    assert game.view().llama_row == ("4", "5")


def test_dice_17_player_who_is_alone_may_roll_turn_after_turn() -> None:
    game = dice(["1 2 3", "1"], quitters=(1,))
    assert legal_actions(game) == {"roll", "quit"}
    act(game, "0 roll 1 4 5", "0 discard 1")
    assert game.seat == 0
    assert legal_actions(game) == {"roll", "quit"}


def test_dice_18_alone_it_is_blown_even_with_a_match_in_the_llama_row() -> None:
    game = dice(["1 2", "1"], llama_row="3 4", quitters=(1,))
    act(game, "0 roll 3 5 6")
    assert rounds_over(game) == 1
    assert game.rounds[0].penalties == [1 + 2 + 3 + 4, 1]


def test_dice_19_alone_three_llamas_are_no_bust() -> None:
    game = dice(["1 2", "1"], quitters=(1,), tokens=[(1, 0), (0, 0)])
    act(game, LLL, "0 return 1")
    assert (rounds_over(game), game.seat, game.points) == (0, 0, [0, 0])
    act(game, LLL)
    assert (rounds_over(game), game.seat, game.phase) == (0, 0, "turn")


def test_dice_20_alone_a_match_is_a_match() -> None:
    game = dice(["1 2", "1"], quitters=(1,))
    act(game, "0 roll 1 2 3")
    assert legal_actions(game) == {"discard 1", "discard 2", "discard 1 2"}


def test_dice_21_player_who_discards_all_cards_ends_the_round() -> None:
    game = dice(["1 2", "3", "4 4"])
    act(game, "0 roll 1 2 6", "0 discard 1 2")
    assert rounds_over(game) == 1
    assert game.rounds[0].penalties == [0, 3, 4]


def test_dice_23_player_who_takes_the_last_card_of_the_llama_row_ends_the_round() -> None:
    game = dice(["1", "3", "4"], llama_row="2")
    act(game, "0 roll 2 5 6", "0 take 2")
    assert rounds_over(game) == 1
    assert game.rounds[0].penalties == [3, 3, 4]
    assert game.rounds[1].starter == 0


def test_dice_24_the_last_one_to_quit_ends_the_round() -> None:
    game = dice(["1", "3"])
    act(game, "0 quit")
    assert rounds_over(game) == 0
    act(game, "1 quit")
    assert rounds_over(game) == 1


def test_dice_25_all_rows_score_each_value_once() -> None:
    game = dice(["1", "4 4 llama llama", FULL_LLAMA_ROW], quitters=(2,))
    act(game, "0 roll 1 2 3", "0 discard 1")
    assert game.rounds[0].penalties == [0, 14, 31]


def test_dice_26_penalties_are_paid_in_as_few_tokens_as_can_be() -> None:
    game = dice(["1", "1 llama"], tokens=[(0, 0), (9, 0)])
    act(game, "0 roll 1 2 3", "0 discard 1")
    assert (game.tokens[1].whites, game.tokens[1].blacks) == (10, 1)
    assert game.points == [0, 20]


@pytest.mark.parametrize(
    ("tokens", "returns"),
    [
        ((1, 0), {"return 1"}),
        ((9, 0), {"return 1"}),
        ((10, 0), {"return 1", "return 10"}),
        ((0, 1), {"return 10"}),
        ((3, 2), {"return 1", "return 10"}),
    ],
)
def test_dice_27_dice_28_tokens_are_swapped_one_way_only(
    tokens: tuple[int, int], returns: set[str]
) -> None:
    for game, moves in (
        (dice(["1", "2"], tokens=[tokens, (0, 0)]), ["0 roll 1 3 4", "0 discard 1"]),
        (dice(["1", "2"], tokens=[tokens, (0, 0)]), [LLL]),
    ):
        act(game, *moves)
        assert legal_actions(game) == {"keep", *returns}


def test_dice_28_a_10_can_be_ten_whites() -> None:
    game = dice(["1", "2"], tokens=[(12, 0), (0, 0)])
    act(game, LLL, "0 return 10")
    assert (game.tokens[0].whites, game.tokens[0].blacks) == (2, 0)


def test_dice_28_player_without_a_token_is_not_asked() -> None:
    game = dice(["1", "2"])
    act(game, "0 roll 1 3 4", "0 discard 1")
    assert game.phase == "turn"
    assert rounds_over(game) == 1


def test_dice_29_one_player_may_give_back_several_tokens_in_a_round() -> None:
    game = dice(["1", "2"], tokens=[(1, 3), (0, 0)], quitters=(1,))
    act(game, LLL, "0 return 10", LLL, "0 return 1", "0 roll 1 1 1", "0 discard 1", "0 return 10")
    assert game.points == [10, 2]
    assert game.rounds[0].points == [10, 2]


def test_dice_30_no_token_comes_before_the_end_of_the_round() -> None:
    game = dice(["1", "2"], llama_row="3 4")
    act(game, "0 roll 3 5 6", "0 take 3")
    assert game.points == [0, 0]


def test_dice_31_the_next_round_has_the_whole_llama_row_and_all_36_cards() -> None:
    game = dice(["1", "2"], llama_row="3")
    act(game, "0 roll 3 5 6", "0 take 3")
    assert game.view().llama_row == CARDS
    assert game.view().hand_sizes == (6, 6)
    assert sorted(game.rounds[1].deck) == sorted(Dice.deck)


@pytest.mark.parametrize(
    "ending", [["0 quit", "1 quit"], ["0 quit", "1 roll 1 2 4", "1 discard 2"]]
)
def test_dice_32_the_last_to_roll_or_quit_starts(ending: list[str]) -> None:
    game = dice(["1 3", "2"])
    act(game, *ending)
    assert game.rounds[1].starter == 1


@pytest.mark.parametrize(("before", "over"), [((0, 3), True), ((9, 2), False)])
def test_dice_33_the_match_ends_at_40(before: tuple[int, int], over: bool) -> None:
    game = dice(["1", "llama"], tokens=[(0, 0), before])
    act(game, "0 roll 1 3 4", "0 discard 1")
    assert game.finished is over


def test_com_4_com_14_the_emptier_gives_back_before_the_match_ends() -> None:
    game = dice(["1", "llama"], tokens=[(9, 3), (0, 3)])
    act(game, "0 roll 1 3 4", "0 discard 1", "0 return 10")
    assert game.finished
    assert game.points == [29, 40]


def test_com_9_11_points_are_a_black_and_a_white() -> None:
    game = dice(["1", "1 llama"])
    act(game, "0 roll 1 2 3", "0 discard 1")
    assert (game.tokens[1].whites, game.tokens[1].blacks) == (1, 1)


def test_com_16_the_defaults() -> None:
    def default(game: Dice) -> str:
        return game.notation[game.default_action()]

    assert default(dice(["1", "2"])) == "quit"
    for held, roll, instead in (
        ("2 2 llama 3", "2 2 llama", "discard 2 2 llama"),
        ("1", "5 3 llama", "take 3"),
        ("1", "llama llama llama", "return 10"),
    ):
        game = dice([held, "1"], tokens=[(3, 1), (0, 0)])
        act(game, f"0 roll {roll}")
        assert default(game) == instead


def test_roll_and_its_dice_are_public() -> None:
    game = dice(["1 2", "1"])
    act(game, "0 roll 2 llama 1")
    view = game.view()
    assert (view.dice, view.moves) == (("2", "llama", "1"), "0 roll 2 llama 1")
    act(game, "0 discard 2")
    assert game.view().dice == ()
    assert game.view().history == ("0 roll 2 llama 1", "0 discard 2")


# The sheet's own examples


def test_ex_d1_john_rolls_2_and_two_llamas_and_takes_the_llama() -> None:
    game = dice(["1 3 4", "1"])
    act(game, "0 roll 2 llama llama")
    assert legal_actions(game) == {"take 2", "take llama"}
    act(game, "0 take llama")
    assert row(game, 0) == "1 3 4 llama"


def test_ex_d2_rosa_rolls_1_3_and_a_llama_and_may_keep_the_llama() -> None:
    game = dice(["3 4 llama", "1"])
    act(game, "0 roll 1 3 llama")
    assert legal_actions(game) == {"discard 3", "discard llama", "discard 3 llama"}


def test_ex_d3_martin_quits_and_the_others_go_on() -> None:
    game = dice(["1", "3 4 5", "2"], turn=1)
    act(game, "1 quit")
    assert (game.seat, row(game, 1)) == (2, "3 4 5")


def test_ex_d4_rosa_alone_discards_a_2_and_then_blows_it() -> None:
    game = dice(["2 5", "1", "1", "1"], llama_row="1 5 6", quitters=(1, 2, 3))
    act(game, "0 roll 1 2 4")
    assert legal_actions(game) == {"discard 2"}
    act(game, "0 discard 2", "0 roll 2 6 llama")
    assert rounds_over(game) == 1
    assert game.cards(game.rounds[0].final_hands[0]) == ("1", "5", "5", "6")
    assert game.rounds[0].penalties[0] == 12
    assert (game.tokens[0].whites, game.tokens[0].blacks) == (2, 1)


def test_ex_d5_rosa_gives_back_the_10_of_12() -> None:
    game = dice(["2", "1"], tokens=[(2, 1), (0, 0)])
    act(game, "0 roll 2 3 4", "0 discard 2", "0 return 10")
    assert game.points[0] == 2


# Uses of a roll, enumerated


def by_the_sheet(
    held: Counter[str], llama_row: set[str], roll: tuple[str, ...], alone: bool
) -> set[str]:
    """The rule sheet as code: which sets of dice can be used up by cards of the row."""
    if roll == ("llama",) * 3:
        return {"roll", "quit"}  # the next player's turn
    used = [
        tuple(sorted((die for die, use in zip(roll, uses, strict=True) if use), key=CARDS.index))
        for uses in product((False, True), repeat=3)
    ]
    discards = {cards for cards in used if cards and not Counter(cards) - held}
    if discards:
        return {" ".join(["discard", *cards]) for cards in discards}
    takes = {f"take {die}" for die in roll if die in llama_row}
    return takes if takes and not alone else set()


def some_rows() -> list[tuple[str, ...]]:
    """All rows of up to two values with up to three cards each, and some long ones."""
    values = [CARDS[0], CARDS[4], CARDS[6]]
    small = {cards for size in range(1, 4) for cards in combinations_with_replacement(values, size)}
    return [*sorted(small), CARDS, ("1", "1", "2", "2", "3", "3"), ("6",) * 6, ("llama",) * 6]


@pytest.mark.long
@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("llama_row", [FULL_LLAMA_ROW, "2 3"])
def test_every_roll_against_every_row(llama_row: str, alone: bool) -> None:
    for held in some_rows():
        for roll in product(CARDS, repeat=3):
            rows = [" ".join(held), "1 1"]
            game = dice(rows, llama_row=llama_row, quitters=(1,) if alone else ())
            act(game, f"0 roll {' '.join(roll)}")
            expected = by_the_sheet(Counter(held), set(llama_row.split()), roll, alone)
            if expected:
                assert legal_actions(game) == expected
                assert rounds_over(game) == 0
            else:
                assert rounds_over(game) == 1
                assert len(game.cards(game.rounds[0].final_hands[0])) == len(held) + len(
                    llama_row.split()
                )

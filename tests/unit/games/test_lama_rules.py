"""L.A.M.A. rule by rule; a test's name begins with the IDs it holds (docs/rules.md)."""

from collections import Counter

import pytest

from arena.games.rules.lama import CARDS, Lama
from tests.tables import SEED, act, lama, legal_actions, rounds_over


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_com_1_two_to_six_players_play(seats: int) -> None:
    assert Lama(seats, SEED).seats == seats


def test_com_2_the_turn_passes_to_the_left_after_one_action() -> None:
    game = lama(["3 4", "4 5", "1 1"], top="3")
    act(game, "0 play 3", "1 play 4", "2 draw")
    assert game.seat == 0


def test_com_3_player_who_quit_is_skipped_and_keeps_the_cards() -> None:
    game = lama(["3 4", "4 5", "1 1"], top="3")
    act(game, "0 play 3", "1 quit", "2 draw", "0 draw")
    assert game.seat == 2
    assert game.hands[1][CARDS.index("5")] == 1
    assert game.active == [True, False, True]


def test_com_4_com_13_all_score_at_once_and_the_emptier_scores_nothing() -> None:
    game = lama(["3", "4 5", "llama"], top="3")
    act(game, "0 play 3")
    assert game.rounds[0].penalties == [0, 9, 10]


@pytest.mark.parametrize(("before", "over"), [(30, True), (29, False)])
def test_com_5_com_6_com_7_the_match_ends_at_40_points_held(before: int, over: bool) -> None:
    game = lama(["3", "llama"], top="3", points=[0, before])
    act(game, "0 play 3")
    assert game.finished is over
    assert game.points == [0, before + 10]


def test_com_8_points_are_owed_beyond_the_tokens_in_the_box() -> None:
    everything = "1 2 3 4 5 6 llama"
    game = lama(["3", *[everything] * 5], top="3", points=[0, 39, 39, 39, 39, 39])
    act(game, "0 play 3")
    assert sum(game.points) == 5 * 70


def test_com_10_seat_0_begins_the_first_round() -> None:
    assert Lama(4, SEED).seat == 0
    assert Lama(4, SEED).log.starter == 0


def test_com_11_com_12_one_token_is_given_back_or_none() -> None:
    game = lama(["3", "4"], top="3", points=[22, 0])
    act(game, "0 play 3")
    assert game.phase == "return"
    assert "keep" in legal_actions(game)
    act(game, "0 return 10")
    assert game.points == [12, 4]
    assert game.phase == "turn"


def test_com_14_the_end_is_the_same_before_and_after_the_return() -> None:
    game = lama(["3", "llama"], top="3", points=[39, 35])
    act(game, "0 play 3", "0 return 10")
    assert game.finished
    assert game.points == [29, 45]


def test_com_15_max_rounds_ends_a_match_that_would_not_end() -> None:
    game = Lama(2, SEED, {"max_rounds": "2"})
    while not game.finished:
        act(game, f"{game.seat} quit")
    assert len(game.rounds) == 2


def test_com_16_the_default_is_to_quit_and_to_give_back_the_highest_token() -> None:
    game = lama(["3", "4"], top="3", points=[22, 0])
    assert game.notation[game.default_action()] == "quit"
    act(game, "0 play 3")
    assert game.notation[game.default_action()] == "return 10"


def test_lama_1_there_are_eight_of_each_card() -> None:
    assert Counter(CARDS[kind] for kind in Lama.deck) == dict.fromkeys(CARDS, 8)
    assert len(Lama.deck) == 56


def test_lama_2_everyone_starts_without_points() -> None:
    assert Lama(5, SEED).points == [0] * 5


@pytest.mark.parametrize(("seats", "pile"), [(2, 43), (3, 37), (4, 31), (5, 25), (6, 19)])
def test_lama_3_six_cards_each_one_turned_over_the_rest_is_the_pile(seats: int, pile: int) -> None:
    game = Lama(seats, SEED)
    view = game.view()
    assert [sum(hand) for hand in game.hands] == [6] * seats
    assert (view.pile, len(view.discards)) == (pile, 1)


def test_lama_4_start_card_does_not_count_as_played() -> None:
    game = lama(["2 2", "2 2"], top="llama")
    assert legal_actions(game) == {"draw", "quit"}
    act(game, "0 quit", "1 quit")
    assert game.rounds[1].starter == 1  # LAMA-33, not "whoever played the start card"


def test_lama_4_on_a_llama_as_start_card_1_and_llama_may_be_played() -> None:
    assert legal_actions(lama(["1 2 6 llama", "1"], top="llama")) == {
        "play 1",
        "play llama",
        "draw",
        "quit",
    }


def test_lama_5_a_turn_is_to_play_to_draw_or_to_quit() -> None:
    assert legal_actions(lama(["3 6", "1"], top="3")) == {"play 3", "draw", "quit"}


@pytest.mark.parametrize(
    ("top", "playable"),
    [
        ("1", {"1", "2"}),
        ("2", {"2", "3"}),
        ("3", {"3", "4"}),
        ("4", {"4", "5"}),
        ("5", {"5", "6"}),
        ("6", {"6", "llama"}),
        ("llama", {"llama", "1"}),
    ],
)
def test_lama_6_lama_7_the_same_value_or_the_next_one(top: str, playable: set[str]) -> None:
    game = lama(["1 2 3 4 5 6 llama", "1"], top=top)
    assert legal_actions(game) - {"draw", "quit"} == {f"play {card}" for card in playable}


def test_lama_8_one_card_a_turn_even_with_several_that_match() -> None:
    game = lama(["3 3 3", "1"], top="3")
    act(game, "0 play 3")
    assert game.seat == 1


def test_lama_9_drawing_is_legal_with_a_playable_card() -> None:
    assert "draw" in legal_actions(lama(["3", "1"], top="3"))


def test_lama_10_a_drawn_card_waits_for_the_next_turn() -> None:
    game = lama(["6", "1 5"], top="3", pile="4 1")
    act(game, "0 draw")
    assert game.seat == 1
    act(game, "1 draw")
    assert legal_actions(game) == {"play 4", "quit"}


def test_lama_11_no_card_is_drawn_from_an_empty_pile_and_play_continues() -> None:
    game = lama(["3 6", "3 1"], top="3", pile="")
    assert legal_actions(game) == {"play 3", "quit"}
    act(game, "0 play 3")
    assert legal_actions(game) == {"play 3", "quit"}


def test_lama_12_quitting_is_always_legal() -> None:
    assert "quit" in legal_actions(lama(["3", "1"], top="3"))


@pytest.mark.parametrize(("pile", "quitters"), [("", ()), ("1 2", (1,))])
def test_lama_13_without_a_card_to_play_and_without_drawing_only_quitting_is_left(
    pile: str, quitters: tuple[int, ...]
) -> None:
    assert legal_actions(lama(["6", "1"], top="3", pile=pile, quitters=quitters)) == {"quit"}


def test_lama_14_the_last_card_ends_the_round_at_once() -> None:
    game = lama(["3", "3", "3"], top="3")
    act(game, "0 play 3")
    assert rounds_over(game) == 1
    assert game.rounds[0].penalties == [0, 3, 3]


def test_lama_15_the_last_one_to_quit_ends_the_round() -> None:
    game = lama(["6", "5"], top="3")
    act(game, "0 quit", "1 quit")
    assert rounds_over(game) == 1


def test_lama_16_lama_19_player_who_is_alone_continues_without_drawing() -> None:
    game = lama(["3 4 1", "1", "2"], top="3")
    act(game, "0 play 3", "1 quit", "2 quit")
    assert rounds_over(game) == 0
    assert game.seat == 0
    assert legal_actions(game) == {"play 4", "quit"}
    act(game, "0 play 4")
    assert game.seat == 0


def test_lama_17_alone_without_a_playable_card_he_must_quit() -> None:
    game = lama(["4 1", "1"], top="3", quitters=(1,))
    act(game, "0 play 4")
    assert legal_actions(game) == {"quit"}
    act(game, "0 quit")
    assert rounds_over(game) == 1


def test_lama_18_alone_he_may_quit_with_a_playable_card() -> None:
    assert legal_actions(lama(["4 1", "1"], top="3", quitters=(1,))) == {"play 4", "quit"}


def test_lama_20_alone_the_last_card_makes_him_the_emptier() -> None:
    game = lama(["4", "1"], top="3", quitters=(1,), points=[5, 0])
    act(game, "0 play 4")
    assert (game.phase, game.seat) == ("return", 0)


@pytest.mark.parametrize(
    ("hand", "penalty"),
    [
        ("4 4", 4),
        ("llama llama llama", 10),
        ("1 1 llama", 11),
        ("1 2 3 4 5 6 llama", 31),
        ("5 5 5", 5),
        ("", 0),
    ],
)
def test_lama_21_each_value_in_hand_counts_once(hand: str, penalty: int) -> None:
    game = lama(["3", hand], top="3")
    assert game.penalty(game.hands[1]) == penalty


def test_lama_22_quitters_score_like_the_others() -> None:
    game = lama(["3", "4 4", "4 4"], top="3", quitters=(1,))
    act(game, "0 play 3")
    assert game.rounds[0].penalties == [0, 4, 4]


def test_lama_23_penalties_are_added_to_the_points_held() -> None:
    game = lama(["3", "1 1 llama"], top="3", points=[0, 8])
    act(game, "0 play 3")
    assert game.points == [0, 19]


@pytest.mark.parametrize(
    ("held", "options"),
    [
        (1, {"keep", "return 1"}),
        (9, {"keep", "return 1"}),
        (10, {"keep", "return 1", "return 10"}),
        (39, {"keep", "return 1", "return 10"}),
    ],
)
def test_lama_24_lama_25_lama_26_lama_29_tokens_are_swapped_freely(
    held: int, options: set[str]
) -> None:
    game = lama(["3", "4"], top="3", points=[held, 0])
    act(game, "0 play 3")
    assert legal_actions(game) == options


def test_lama_27_without_points_nothing_is_asked() -> None:
    game = lama(["3", "4"], top="3")
    act(game, "0 play 3")
    assert game.phase == "turn"
    assert rounds_over(game) == 1


def test_lama_28_when_all_quit_no_token_is_returned() -> None:
    game = lama(["6", "5"], top="3", points=[20, 20])
    act(game, "0 quit", "1 quit")
    assert game.phase == "turn"
    assert game.points == [26, 25]


def test_lama_30_the_next_round_is_dealt_from_all_cards() -> None:
    game = Lama(4, SEED)
    for seat in range(4):
        act(game, f"{seat} quit")
    first, second = game.rounds
    assert sorted(first.deck) == sorted(second.deck) == sorted(Lama.deck)
    assert first.deck != second.deck


def test_lama_31_the_emptier_starts_the_next_round() -> None:
    game = lama(["6", "3", "5"], top="3", turn=1)
    act(game, "1 play 3")
    assert game.rounds[1].starter == 1


def test_lama_32_when_all_quit_the_last_to_play_a_card_starts() -> None:
    game = lama(["4 6", "1", "1"], top="4")
    act(game, "0 play 4", "1 quit", "2 draw", "0 draw", "2 quit", "0 quit")
    assert game.rounds[1].starter == 0


def test_lama_32_not_the_last_to_act() -> None:
    game = lama(["4 1", "4 1"], top="4")
    act(game, "0 play 4", "1 play 4", "0 draw", "1 quit", "0 quit")
    assert game.rounds[1].starter == 1


def test_lama_33_without_a_played_card_the_last_to_act_starts() -> None:
    game = lama(["1", "1", "1"], top="4")
    act(game, "0 draw", "1 quit", "2 quit", "0 quit")
    assert game.rounds[1].starter == 0


def test_lama_34_fewest_points_win_and_ties_share() -> None:
    game = lama(["3", "llama", "5 6"], top="3", points=[14, 30, 3])
    act(game, "0 play 3", "0 keep")
    assert game.finished
    assert game.points == [14, 40, 14]


def test_lama_35_no_player_can_end_above_70_points() -> None:
    game = lama(["3", "1 2 3 4 5 6 llama"], top="3", points=[0, 39])
    act(game, "0 play 3")
    assert game.points[1] == 70


# The sheets' own examples


def test_ex_l1_a_llama_goes_on_a_6_and_a_1_or_a_llama_on_it() -> None:
    game = lama(["llama 2", "1 llama 6"], top="6")
    act(game, "0 play llama")
    assert legal_actions(game) == {"play 1", "play llama", "draw", "quit"}


def test_ex_l2_henri_quits_with_three_5s_and_scores_5() -> None:
    game = lama(["5 5 5", "3"], top="3")
    act(game, "0 quit", "1 play 3")
    assert game.rounds[0].penalties[0] == 5


def test_ex_l3_judy_alone_plays_3_4_4_and_scores_11() -> None:
    game = lama(["6", "6", "6", "3 4 4 1 1 llama"], top="2", turn=3, quitters=(0, 1, 2))
    act(game, "3 play 3", "3 play 4", "3 play 4")
    assert legal_actions(game) == {"quit"}
    act(game, "3 quit")
    assert game.rounds[0].penalties[3] == 11


def test_ex_l4_judy_gives_back_the_10_and_keeps_1() -> None:
    game = lama(["3", "4"], top="3", points=[11, 0])
    act(game, "0 play 3")
    assert legal_actions(game) == {"keep", "return 1", "return 10"}
    act(game, "0 return 10")
    assert game.points[0] == 1

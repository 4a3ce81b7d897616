"""LLAMA Kadabra rule by rule; a test's name begins with the IDs it holds (docs/rules.md)."""

from collections import Counter
from collections.abc import Mapping
from itertools import product

import pytest

from arena.games.rules.kadabra import Kadabra
from arena.games.rules.kadabra_cards import KINDS
from arena.games.rules.kadabra_tokens import POOL, STAGE
from arena.games.rules.tokens import Tokens
from tests.tables import SEED, act, kadabra, legal_actions, rounds_over

ALL = " ".join(KINDS)
ACTIONS = {"draw", "quit"}


def playable(top: str) -> set[str]:
    """The cards that can be played on `top` from a hand with one card of each kind."""
    game = kadabra([ALL, "1"], top=top)
    return {action.removeprefix("play ") for action in legal_actions(game) - ACTIONS}


def held(game: Kadabra, seat: int) -> tuple[int, int]:
    """Whites and blacks of a seat."""
    return game.tokens[seat].whites, game.tokens[seat].blacks


def hand(game: Kadabra, seat: int) -> str:
    return " ".join(game.cards(game.hands[seat]))


def with_icons(*values: str) -> set[str]:
    """All cards of these values, with and without icons."""
    return {kind for kind in KINDS if kind.rstrip("o#*") in values}


def test_kad_1_the_deck_by_values() -> None:
    deck = Counter(Kadabra.kinds[kind].rstrip("o#*") for kind in Kadabra.deck)
    assert deck == {
        "1": 8, "2": 7, "3": 7, "4": 7, "5": 7, "6": 8, "2/3": 2, "4/5": 2, "llama": 12,
    }  # fmt: skip
    assert len(Kadabra.deck) == 60


def test_kad_2_tokens_are_white_black_and_one_magic_token() -> None:
    view = Kadabra(3, SEED).view()
    assert Kadabra.returns == (1, 10)
    assert (view.whites, view.blacks, view.magic) == ((3, 3, 3), (0, 0, 0), "pool")


def test_kad_3_1s_give_and_other_numbers_draw_or_take() -> None:
    icons = {kind for kind in KINDS if kind[-1] in "o#*"}
    assert icons == {"1o"} | {f"{number}{icon}" for number in range(2, 7) for icon in "#*"}


def test_kad_4_by_default_all_1s_give_and_each_other_number_has_one_of_each_icon() -> None:
    deck = Counter(KINDS[kind] for kind in Kadabra.deck)
    assert deck["1o"] == 8
    assert all(deck[f"{number}#"] == deck[f"{number}*"] == 1 for number in range(2, 7))


def test_kad_4_special_cards_are_an_option_in_a_normal_form() -> None:
    game = Kadabra(2, SEED, {"kadabra.specials": "6*:2  1o:3 2#:0"})
    assert game.options["kadabra.specials"] == "1o:3 6*:2"
    deck = Counter(KINDS[kind] for kind in game.make_deck())
    assert (deck["1"], deck["1o"], deck["6"], deck["6*"], deck["2"], deck["2#"]) == (
        5,
        3,
        6,
        2,
        7,
        0,
    )
    assert sorted(game.log.deck) == sorted(game.make_deck())


def test_kad_4_there_may_be_no_special_cards_at_all() -> None:
    game = Kadabra(2, SEED, {"kadabra.specials": ""})
    assert {KINDS[kind] for kind in game.log.deck} == {*"123456", "2/3", "4/5", "llama"}


@pytest.mark.parametrize(("seats", "pile"), [(2, 47), (3, 41), (4, 35), (5, 29), (6, 23)])
def test_kad_5_six_cards_each_and_one_turned_over(seats: int, pile: int) -> None:
    view = Kadabra(seats, SEED).view()
    assert view.hand_sizes == (6,) * seats
    assert (view.pile, view.discards) == (pile, (view.start,))


def turned_over(game: Kadabra, card: str) -> None:
    """Begins a round in which this card is turned over."""
    deck = list(Kadabra.deck)
    deck.remove(KINDS.index(card))
    deck.insert(6 * game.seats, KINDS.index(card))
    game.deal(deck, 0)
    assert game.view().top == card


@pytest.mark.parametrize("card", ["1o", "2#", "3*"])
def test_kad_5_the_action_of_the_card_turned_over_is_not_carried_out(card: str) -> None:
    game = Kadabra(2, SEED)
    turned_over(game, card)
    assert (game.magic, game.sizes, game.phase, held(game, 0)) == (POOL, [6, 6], "turn", (3, 0))


def test_kad_6_a_llama_turned_over_places_nothing_and_starts_no_show() -> None:
    game = Kadabra(2, SEED)
    game.stage = Tokens(5, 0)
    turned_over(game, "llama")
    assert (game.phase, game.stage.count, held(game, 0)) == ("turn", 5, (3, 0))


def test_kad_6_on_a_double_card_turned_over_both_values_count() -> None:
    assert playable("2/3") == with_icons("2", "3", "4", "2/3", "4/5")


def test_kad_7_three_whites_each_once() -> None:
    game = Kadabra(3, SEED)
    assert game.points == [3, 3, 3]
    act(game, "0 quit", "1 quit", "2 quit")
    before = game.rounds[0]
    assert game.points == [3 + penalty for penalty in before.penalties]
    assert (game.stage.count, game.magic) == (0, POOL)


def may_lie_on(card: str, top: str) -> bool:
    """The rule sheet as code: the same value or exactly one higher, a llama being 7 and 0."""
    wide = {"llama": (0, 7)}
    pairs = product(values(card, wide), values(top, wide))
    return any(value == under or value == under + 1 for value, under in pairs)


def values(card: str, llama: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    return llama.get(card) or tuple(int(value) for value in card.rstrip("o#*").split("/"))


@pytest.mark.parametrize("top", KINDS)
def test_kad_8_the_same_value_or_the_next_one(top: str) -> None:
    assert playable(top) == {card for card in KINDS if may_lie_on(card, top)}


def tops_for(card: str) -> set[str]:
    return {top for top in KINDS if card in playable(top)}


def test_kad_9_where_double_cards_go() -> None:
    assert tops_for("2/3") == with_icons("1", "2", "3", "2/3")
    assert tops_for("4/5") == with_icons("3", "4", "5", "2/3", "4/5")


def test_kad_10_cards_that_may_follow_double_cards() -> None:
    assert playable("2/3") == with_icons("2", "3", "4", "2/3", "4/5")
    assert playable("4/5") == with_icons("4", "5", "6", "4/5")


def test_kad_11_a_llama_goes_on_6_or_a_llama_and_is_followed_by_a_llama_or_1() -> None:
    assert tops_for("llama") == with_icons("6", "llama")
    assert playable("llama") == with_icons("1", "llama")


@pytest.mark.parametrize("card", ["1o", "2#", "2*", "6*"])
def test_kad_12_icon_does_not_change_where_a_card_goes_or_its_score(card: str) -> None:
    assert playable(card) == playable(card[0])
    assert tops_for(card) == tops_for(card[0])
    assert penalty(f"{card} {card[0]}") == int(card[0])


# Draw, quit, the magic token, swapping


def test_kad_13_drawing_ends_the_turn() -> None:
    game = kadabra(["3", "1"], top="3", pile="4")
    assert "draw" in legal_actions(game)
    act(game, "0 draw")
    assert (game.seat, hand(game, 0)) == (1, "3 4")
    assert "draw" not in legal_actions(game)


def test_kad_14_player_who_quit_gets_no_token_and_draws_no_card() -> None:
    game = kadabra(["1o 2# 2", "1", "1", "1"], top="1", quitters=(1,))
    act(game, "0 play 1o")
    assert legal_actions(game) == {"give +2", "give +3"}
    act(game, "0 give +2", "2 quit", "3 quit", "0 play 2#")
    assert hand(game, 1) == "1"


def test_kad_15_the_magic_token_may_go_back_instead_of_a_turn() -> None:
    game = kadabra(["5", "1", "1"], top="2", magic=0)
    assert legal_actions(game) == {"draw", "quit", "return magic"}
    act(game, "0 return magic")
    assert (game.seat, game.magic, hand(game, 0)) == (1, POOL, "5")
    assert "return magic" not in legal_actions(game)


def test_kad_15_only_its_owner_returns_the_magic_token() -> None:
    assert "return magic" not in legal_actions(kadabra(["5", "1"], top="2", magic=1))
    assert "return magic" not in legal_actions(kadabra(["5", "1"], top="2", magic="stage"))


def test_kad_16_without_any_other_action_he_must_quit() -> None:
    assert legal_actions(kadabra(["5", "1"], top="2", pile="")) == {"quit"}
    assert legal_actions(kadabra(["5", "1"], top="2", quitters=(1,), magic=0)) == {"quit"}


def test_kad_17_ten_whites_are_swapped_without_ending_the_turn() -> None:
    game = kadabra(["2 5", "1"], top="2", tokens=[(21, 0), (9, 0)])
    act(game, "0 swap", "0 swap")
    assert (game.seat, held(game, 0), game.points) == (0, (1, 2), [21, 9])
    assert legal_actions(game) == {"play 2", "draw", "quit"}
    act(game, "0 play 2")
    assert "swap" not in legal_actions(game)


def test_kad_17_swapping_is_possible_in_a_show_and_before_giving() -> None:
    game = kadabra(
        ["1 1o llama", "1"], top="llama", tokens=[(10, 0), (0, 0)], stage=(5, 0), show=True
    )
    assert legal_actions(game) == {"play llama", "collect", "swap"}
    act(game, "0 swap")
    assert legal_actions(game) == {"play llama", "collect"}
    act(game, "0 collect", "0 play 1o")
    assert legal_actions(game) == {"give +1"}
    game = kadabra(["1 1o", "1"], top="llama", tokens=[(10, 0), (0, 0)])
    act(game, "0 play 1o")
    assert legal_actions(game) == {"give +1", "swap"}
    act(game, "0 swap", "0 give +1")
    assert (held(game, 0), held(game, 1)) == ((0, 0), (0, 1))


def test_kad_18_nothing_is_swapped_by_itself() -> None:
    game = kadabra(["1", "1 5 6"], top="1", tokens=[(0, 0), (9, 0)])
    act(game, "0 play 1")
    assert held(game, 1) == (11, 1)


# The icons


@pytest.mark.parametrize("card", ["1o", "2#", "2*"])
def test_kad_20_the_action_of_a_card_is_always_carried_out(card: str) -> None:
    game = kadabra([f"{card} 5", "1"], top="1")
    act(game, f"0 play {card}")
    happened = {"1o": game.phase == "give", "2#": game.sizes[1] == 2, "2*": game.magic == 0}
    assert happened[card]


@pytest.mark.parametrize(
    ("tokens", "magic", "given"),
    [
        ((2, 1), 0, (1, 0)),
        ((0, 1), 0, (0, 1)),
        ((0, 2), "pool", (0, 1)),
        ((0, 0), 0, (0, 0)),
    ],
)
def test_kad_21_kad_23_he_gives_his_lowest_token_to_whom_he_likes(
    tokens: tuple[int, int], magic: int | str, given: tuple[int, int]
) -> None:
    game = kadabra(["1o 5", "1", "1"], top="1", tokens=[tokens, (0, 0), (0, 0)], magic=magic)
    act(game, "0 play 1o")
    assert legal_actions(game) == {"give +1", "give +2"}
    act(game, "0 give +2")
    assert held(game, 2) == given
    assert held(game, 0) == (tokens[0] - given[0], tokens[1] - given[1])
    assert (game.magic == 2) == (given == (0, 0))
    assert game.seat == 1
    assert game.points == [tokens.points for tokens in game.tokens]


def test_kad_22_without_a_token_or_a_receiver_nothing_is_given() -> None:
    game = kadabra(["1o 5", "1"], top="1", tokens=[(0, 0), (3, 0)])
    act(game, "0 play 1o")
    assert (game.seat, game.phase) == (1, "turn")
    game = kadabra(["1o 5", "1"], top="1", quitters=(1,))
    act(game, "0 play 1o")
    assert (game.seat, game.phase, held(game, 0)) == (0, "turn", (3, 0))


def test_kad_24_the_next_active_player_draws_and_then_has_his_turn() -> None:
    game = kadabra(["2# 5", "1", "1"], top="1", pile="6 4", quitters=(1,))
    act(game, "0 play 2#")
    assert (game.seat, hand(game, 2)) == (2, "1 6")
    assert legal_actions(game) == {"draw", "quit"}
    act(game, "2 draw")
    assert hand(game, 2) == "1 4 6"


def test_kad_25_no_card_is_drawn_from_an_empty_pile() -> None:
    game = kadabra(["2# 5", "1"], top="1", pile="")
    act(game, "0 play 2#")
    assert (game.seat, game.sizes) == (1, [1, 1])


def test_kad_26_alone_he_draws_himself() -> None:
    game = kadabra(["2# 5", "1"], top="1", pile="6", quitters=(1,))
    act(game, "0 play 2#")
    assert (game.seat, hand(game, 0), hand(game, 1)) == (0, "5 6", "1")


@pytest.mark.parametrize("where", ["pool", "stage", 0, 1, 2])
def test_kad_27_kad_28_he_takes_the_magic_token_wherever_it_is(where: int | str) -> None:
    game = kadabra(["2* 5", "1", "1"], top="1", magic=where, quitters=(2,))
    act(game, "0 play 2*")
    assert game.magic == 0


def test_kad_29_the_icons_act_when_he_is_alone() -> None:
    game = kadabra(["1o 2# 2* 5", "1"], top="1", pile="6 6", quitters=(1,))
    act(game, "0 play 1o")
    assert (game.seat, held(game, 0)) == (0, (3, 0))
    act(game, "0 play 2#", "0 play 2*")
    assert (hand(game, 0), game.magic) == ("5 6", 0)


def test_kad_30_kad_31_a_token_is_given_with_the_last_card_too() -> None:
    game = kadabra(["1o", "1"], top="1", tokens=[(3, 1), (0, 0)])
    act(game, "0 play 1o")
    assert game.phase == "give"
    assert rounds_over(game) == 0
    act(game, "0 give +1")
    assert (game.phase, game.points) == ("return", [12, 2])
    act(game, "0 return 10")
    assert game.rounds[0].points == [2, 2]


def test_kad_31_player_who_gave_away_the_only_token_is_not_asked() -> None:
    game = kadabra(["1o", "1"], top="1", tokens=[(1, 0), (0, 0)])
    act(game, "0 play 1o", "0 give +1")
    assert game.rounds[0].points == [0, 2]


def test_kad_32_with_the_last_card_the_neighbour_draws_and_has_no_turn() -> None:
    game = kadabra(["2#", "1", "1"], top="1", pile="6", tokens=[(0, 0)] * 3)
    act(game, "0 play 2#")
    assert rounds_over(game) == 1
    assert game.rounds[0].penalties == [0, 7, 1]


def test_kad_33_with_the_last_card_he_takes_the_magic_token_and_its_10_points() -> None:
    game = kadabra(["2*", "1"], top="1", tokens=[(0, 0), (0, 0)])
    act(game, "0 play 2*")
    assert game.rounds[0].penalties == [10, 1]
    assert legal_actions(game) == {"keep", "return 10"}


def test_kad_34_alone_his_last_card_makes_him_draw_and_ends_the_round() -> None:
    game = kadabra(["2#", "1"], top="1", pile="6", quitters=(1,))
    act(game, "0 play 2#")
    assert rounds_over(game) == 1
    assert game.rounds[0].penalties == [6, 1]
    assert game.phase == "turn"  # of the next round: nothing is given back


def test_kad_34_alone_with_an_empty_pile_he_has_emptied_his_hand() -> None:
    game = kadabra(["2#", "1"], top="1", pile="", quitters=(1,))
    act(game, "0 play 2#")
    assert (game.phase, game.rounds[0].penalties) == ("return", [0, 1])


def test_kad_35_the_card_then_its_action_then_the_end_of_the_round() -> None:
    game = kadabra(["2#", "5"], top="1", pile="5", tokens=[(0, 0), (0, 0)])
    act(game, "0 play 2#")
    assert game.cards(game.rounds[0].final_hands[1]) == ("5", "5")


# Magic stage and show


@pytest.mark.parametrize(
    ("tokens", "magic", "stage"),
    [
        ((2, 1), "pool", (1, 0)),
        ((0, 1), 0, (0, 1)),
        ((0, 0), 0, (0, 0)),
        ((0, 0), "pool", (0, 0)),
    ],
)
def test_kad_36_a_llama_puts_the_lowest_token_on_the_stage(
    tokens: tuple[int, int], magic: int | str, stage: tuple[int, int]
) -> None:
    game = kadabra(["llama 5", "1"], top="6", tokens=[tokens, (3, 0)], magic=magic)
    act(game, "0 play llama")
    view = game.view()
    assert view.stage == stage
    assert (view.magic == "stage") == (magic == 0 and tokens == (0, 0))
    assert game.points[0] == tokens[0] + 10 * tokens[1] - stage[0] - 10 * stage[1]


@pytest.mark.parametrize(
    ("stage", "magic", "show"),
    [((4, 0), "pool", True), ((3, 0), "stage", True), ((3, 0), "pool", False), ((0, 4), 1, True)],
)
def test_kad_37_kad_46_five_tokens_of_any_kind_start_the_show(
    stage: tuple[int, int], magic: int | str, show: bool
) -> None:
    game = kadabra(["llama llama 5", "1"], top="6", stage=stage, magic=magic)
    act(game, "0 play llama")
    assert (game.seat, game.phase) == (1, "show" if show else "turn")


def test_kad_38_llama_without_a_token_starts_a_show_with_remaining_tokens() -> None:
    game = kadabra(["llama 5", "1"], top="6", tokens=[(0, 0), (0, 0)], stage=(5, 0))
    assert game.phase == "turn"
    act(game, "0 play llama")
    assert (game.seat, game.phase, game.stage.count) == (1, "show", 5)


def test_kad_39_kad_53_remaining_tokens_alone_start_no_show() -> None:
    game = kadabra(["llama", "1"], top="6", tokens=[(1, 0), (0, 0)], stage=(4, 0), magic="stage")
    act(game, "0 play llama")
    assert rounds_over(game) == 1
    assert game.view().stage == (5, 0)
    assert game.view().magic == "stage"
    for _ in range(2):
        assert game.phase == "turn"
        act(game, f"{game.seat} draw")


def test_kad_40_kad_44_in_a_show_he_plays_a_llama_collects_or_returns_the_magic_token() -> None:
    game = kadabra(["1 llama", "1 llama", "1"], top="llama", stage=(5, 0), show=True, magic=0)
    assert legal_actions(game) == {"play llama", "collect", "return magic"}
    act(game, "0 return magic")
    assert (game.seat, game.phase, game.stage.count, game.magic) == (1, "show", 5, POOL)
    assert legal_actions(game) == {"play llama", "collect"}


def test_kad_41_after_a_llama_the_show_goes_on_for_the_next_player() -> None:
    game = kadabra(["1 llama", "1", "1"], top="llama", stage=(5, 0), show=True)
    act(game, "0 play llama")
    assert (game.seat, game.phase, game.stage.count, held(game, 0)) == (1, "show", 6, (2, 0))


def test_kad_42_he_may_collect_with_a_llama_in_hand() -> None:
    game = kadabra(["1 llama", "1"], top="llama", stage=(5, 0), show=True)
    assert "collect" in legal_actions(game)


def test_kad_43_collecting_ends_the_show_and_a_usual_turn_follows() -> None:
    game = kadabra(["1 llama", "1"], top="llama", stage=(4, 2), magic="stage", show=True)
    act(game, "0 collect")
    assert (game.seat, held(game, 0), game.magic, game.stage.count) == (0, (7, 2), 0, 0)
    assert legal_actions(game) == {"play 1", "play llama", "draw", "quit", "return magic"}
    act(game, "0 play llama")
    assert (game.seat, game.phase, game.view().stage) == (1, "turn", (1, 0))


def test_kad_45_no_player_quits_or_draws_in_a_show_before_collecting() -> None:
    game = kadabra(["1", "1"], top="llama", stage=(5, 0), show=True)
    assert legal_actions(game) == {"collect"}


def test_kad_46_alone_the_show_is_on_at_once() -> None:
    game = kadabra(["llama llama 5", "1"], top="6", stage=(4, 0), quitters=(1,))
    act(game, "0 play llama")
    assert (game.seat, game.phase) == (0, "show")


def test_kad_47_player_who_quit_takes_no_part_in_the_show() -> None:
    game = kadabra(["1 llama", "1", "1"], top="llama", stage=(5, 0), show=True, quitters=(1,))
    act(game, "0 play llama")
    assert (game.seat, game.phase) == (2, "show")


def test_kad_48_alone_there_is_a_show_without_returning_the_magic_token() -> None:
    game = kadabra(["1 llama", "1"], top="llama", stage=(5, 0), show=True, magic=0, quitters=(1,))
    assert legal_actions(game) == {"play llama", "collect"}
    act(game, "0 collect")
    assert legal_actions(game) == {"play 1", "play llama", "quit"}


def test_kad_49_alone_his_only_token_the_magic_one_goes_on_the_stage() -> None:
    game = kadabra(["1 llama", "1"], top="6", tokens=[(0, 0)] * 2, magic=0, quitters=(1,))
    act(game, "0 play llama")
    assert game.magic == STAGE


def test_kad_50_taking_the_magic_token_may_leave_too_few_for_a_show() -> None:
    game = kadabra(["2* 5", "llama 6"], top="1", tokens=[(0, 0)] * 2, stage=(4, 0), magic="stage")
    act(game, "0 play 2*")
    assert game.stage.count == 4
    game = kadabra(["1", "llama 6"], top="6", turn=1, tokens=[(0, 0)] * 2, stage=(4, 0), magic=0)
    act(game, "1 play llama")
    assert game.phase == "turn"


def test_kad_51_in_a_show_a_llama_can_always_be_played() -> None:
    game = kadabra(["llama 1", "llama 1"], top="6", stage=(4, 0))
    act(game, "0 play llama")
    assert (game.phase, game.view().top) == ("show", "llama")
    assert "play llama" in legal_actions(game)


@pytest.mark.parametrize(("stage", "show"), [(4, False), (5, True)])
def test_kad_52_kad_54_llama_as_the_last_card_ends_the_show_without_collecting(
    stage: int, show: bool
) -> None:
    game = kadabra(["llama", "1"], top="llama", stage=(stage, 0), show=show)
    act(game, "0 play llama")
    assert game.phase == "return"
    assert game.points == [2, 4]
    assert game.stage.count == stage + 1


def test_kad_53_kad_61_tokens_of_players_and_stage_stay_for_the_next_round() -> None:
    game = kadabra(["5", "5"], top="1", tokens=[(4, 1), (7, 2)], stage=(2, 1))
    act(game, "0 quit", "1 quit")
    assert (held(game, 0), held(game, 1), game.view().stage) == ((9, 1), (12, 2), (2, 1))
    assert sorted(game.rounds[1].deck) == sorted(Kadabra.deck)
    assert game.sizes == [6, 6]


# The end of a round


def test_kad_55_the_round_ends_with_the_last_card_or_the_last_to_drop_out() -> None:
    game = kadabra(["1", "1"], top="1", tokens=[(0, 0)] * 2)
    act(game, "0 play 1")
    assert rounds_over(game) == 1
    game = kadabra(["1 1", "1"], top="1")
    act(game, "0 quit")
    assert rounds_over(game) == 0
    act(game, "1 quit")
    assert rounds_over(game) == 1


def penalty(cards: str) -> int:
    game = kadabra([cards, "1"], top="1")
    return game.penalty(game.hands[0])


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("2/3 3 3* 5", 10),
        ("2/3", 5),
        ("4/5", 9),
        ("2/3 2/3", 5),
        ("llama llama", 10),
        ("1 1o", 1),
        (ALL, 31),
        ("", 0),
    ],
)
def test_kad_56_each_value_once_and_both_of_a_double_card(cards: str, points: int) -> None:
    assert penalty(cards) == points


@pytest.mark.parametrize(
    ("magic", "penalties"),
    [(0, [10, 1, 5]), (2, [0, 1, 15]), ("pool", [0, 1, 5]), ("stage", [0, 1, 5])],
)
def test_kad_57_owner_of_the_magic_token_scores_10_more(
    magic: int | str, penalties: list[int]
) -> None:
    game = kadabra(["1", "1", "5"], top="1", magic=magic, quitters=(2,), tokens=[(0, 0)] * 3)
    act(game, "0 play 1")
    assert game.rounds[0].penalties == penalties
    assert game.magic == (STAGE if magic == "stage" else POOL)
    assert [purse.blacks for purse in game.tokens] == [points // 10 for points in penalties]


@pytest.mark.parametrize(
    ("tokens", "magic", "returns"),
    [
        ((3, 0), "pool", {"return 1"}),
        ((0, 2), "pool", {"return 10"}),
        ((10, 0), "pool", {"return 1", "return 10"}),
        ((0, 0), 0, {"return 10"}),
        ((3, 0), 0, {"return 1", "return 10"}),
    ],
)
def test_kad_58_the_emptier_may_give_back_any_one_of_his_tokens(
    tokens: tuple[int, int], magic: int | str, returns: set[str]
) -> None:
    game = kadabra(["1", "1"], top="1", tokens=[tokens, (3, 0)], magic=magic)
    act(game, "0 play 1")
    assert legal_actions(game) == {"keep", *returns}


@pytest.mark.parametrize(
    ("action", "over"), [("return 10", False), ("return 1", True), ("keep", True)]
)
def test_kad_58_com_4_the_match_ends_at_40_after_the_return(action: str, over: bool) -> None:
    game = kadabra(["1", "1"], top="1", tokens=[(1, 4), (3, 0)])
    act(game, "0 play 1", f"0 {action}")
    assert game.finished is over


def test_kad_59_above_40_the_round_goes_on() -> None:
    game = kadabra(["1", "1o 1"], top="1", turn=1, tokens=[(9, 3), (0, 1)])
    act(game, "1 play 1o", "1 give +1")
    assert game.points == [49, 0]
    assert not game.finished


def test_kad_60_alone_he_plays_or_quits() -> None:
    game = kadabra(["1 5", "1"], top="1", quitters=(1,), magic=0, tokens=[(10, 0), (3, 0)])
    assert legal_actions(game) == {"play 1", "quit", "swap"}


@pytest.mark.parametrize(
    "moves",
    [
        ["0 quit", "1 return magic", "2 quit", "1 quit"],
        ["0 draw", "1 play 1", "2 quit", "0 quit", "1 quit"],
        ["0 quit", "1 play 1", "2 quit", "1 play 2#"],
    ],
)
def test_kad_62_player_of_the_last_action_starts(moves: list[str]) -> None:
    game = kadabra(["1 5", "1 2#", "5"], top="1", magic=1, tokens=[(0, 0)] * 3)
    act(game, *moves)
    if game.phase == "return":
        act(game, "1 keep")
    assert game.rounds[1].starter == 1


def test_kad_62_being_made_to_draw_is_not_an_action() -> None:
    game = kadabra(["2#", "1", "1"], top="1", tokens=[(0, 0)] * 3)
    act(game, "0 play 2#")
    assert game.rounds[1].starter == 0


def test_kad_63_the_match_ends_at_40() -> None:
    game = kadabra(["1", "llama", "llama"], top="1", tokens=[(0, 0), (0, 3), (9, 2)])
    act(game, "0 play 1")
    assert game.finished
    assert game.points == [0, 40, 39]


def test_kad_64_giving_placing_and_collecting_change_no_total() -> None:
    def total(game: Kadabra) -> tuple[int, int]:
        purses = [*game.tokens, game.stage]
        return sum(purse.whites for purse in purses), sum(purse.blacks for purse in purses)

    game = kadabra(["llama 1o 6", "llama 1 6"], top="6", stage=(3, 0), tokens=[(1, 1), (0, 2)])
    before = total(game)
    act(game, "0 play llama", "1 play llama", "0 collect", "0 play 1o", "0 give +1")
    assert total(game) == before


def test_com_16_the_defaults() -> None:
    game = kadabra(
        ["1o llama", "1", "1"], top="llama", stage=(5, 1), show=True, tokens=[(10, 0)] * 3
    )
    said = []
    for move in ("0 collect", "0 play 1o", "0 give +1"):
        said.append(game.notation[game.default_action()])
        act(game, move)
    assert said == ["collect", "quit", "give +1"]
    game = kadabra(["1", "1"], top="1", tokens=[(1, 1), (0, 0)])
    act(game, "0 play 1")
    assert game.notation[game.default_action()] == "return 10"


# The sheet's own examples


def test_ex_k1_john_gives_the_magic_token_back_and_it_is_fays_turn() -> None:
    john, wanda, fay = range(3)
    game = kadabra(["5 6", "1", "1"], top="2", magic=john, quitters=(wanda,))
    act(game, "0 return magic")
    assert (game.seat, game.magic) == (fay, POOL)


def test_ex_k2_fay_collects_swaps_and_gives_john_her_10() -> None:
    john, wanda, fay = range(3)
    game = kadabra(
        ["llama 5", "1", "1o 3"], top="6", stage=(4, 0), tokens=[(2, 0), (0, 0), (5, 0)],
        quitters=(wanda,),
    )  # fmt: skip
    act(game, "0 play llama")
    assert (game.seat, game.phase) == (fay, "show")
    assert legal_actions(game) == {"collect"}
    act(game, "2 collect")
    assert held(game, fay) == (10, 0)
    act(game, "2 swap", "2 play 1o", "2 give +1")
    assert (held(game, fay), held(game, john)) == ((0, 0), (1, 1))


def test_ex_k3_fay_alone_draws_drops_out_and_scores_10() -> None:
    game = kadabra(
        ["5", "1", "1o 2# 3 3* 5"], top="llama", turn=2, pile="2/3 1", quitters=(0, 1),
        tokens=[(0, 0)] * 3,
    )  # fmt: skip
    act(game, "2 play 1o")
    assert (game.seat, game.phase) == (2, "turn")
    act(game, "2 play 2#")
    assert hand(game, 2) == "2/3 3 3* 5"
    assert "play 2/3" in legal_actions(game)
    act(game, "2 quit")
    assert game.rounds[0].penalties[2] == 10
    assert held(game, 2) == (0, 1)
    assert game.rounds[1].starter == 2

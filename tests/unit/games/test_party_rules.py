"""LAMA Party Edition rule by rule; a test's name begins with the IDs it holds (docs/rules.md)."""

from collections import Counter

import pytest

from arena.games.rules.party import Party
from tests.tables import SEED, act, legal_actions, party, rounds_over

ALL = "1 1+ 2 2+ 3 3+ 4 4+ 5 5+ 6 6+ llama pink"


def playable(top: str) -> set[str]:
    """The cards that can be played on `top` from a hand with one card of each kind."""
    game = party([ALL, "1"], top=top)
    return {action.removeprefix("play ") for action in legal_actions(game) - {"draw", "quit"}}


def penalty(hand: str) -> int:
    game = party(["3", hand], top="3")
    return game.penalty(game.hands[1])


def test_party_1_the_deck() -> None:
    deck = Counter(Party.kinds[kind] for kind in Party.deck)
    assert deck == (
        dict.fromkeys("123456", 7)
        | dict.fromkeys(["1+", "2+", "3+", "4+", "5+", "6+"], 1)
        | {"llama": 7, "pink": 1}
    )
    assert len(Party.deck) == 56


def test_party_2_everyone_starts_without_points() -> None:
    assert Party(6, SEED).points == [0] * 6
    assert Party.returns == (1, 10, 20)


@pytest.mark.parametrize(("seats", "pile"), [(2, 43), (3, 37), (4, 31), (5, 25), (6, 19)])
def test_party_3_six_cards_each_and_one_turned_over(seats: int, pile: int) -> None:
    view = Party(seats, SEED).view()
    assert view.hand_sizes == (6,) * seats
    assert (view.pile, view.discards) == (pile, (view.start,))


def test_party_4_a_turn_is_to_play_to_draw_or_to_quit() -> None:
    game = party(["3 6", "1"], top="3")
    assert legal_actions(game) == {"play 3", "draw", "quit"}
    act(game, "0 draw")
    assert game.seat == 1


@pytest.mark.parametrize("number", range(1, 6))
@pytest.mark.parametrize("plus", ["", "+"])
def test_party_5_a_plus_card_counts_as_its_value(number: int, plus: str) -> None:
    same_or_next = {f"{number}", f"{number}+", f"{number + 1}", f"{number + 1}+"}
    assert playable(f"{number}{plus}") == {*same_or_next, "pink"}


@pytest.mark.parametrize("top", ALL.split())
def test_party_6_the_pink_llama_goes_on_any_card(top: str) -> None:
    assert "pink" in playable(top)


def test_party_7_pink_llama_is_followed_like_a_llama() -> None:
    assert playable("pink") == playable("llama") == {"1", "1+", "llama", "pink"}


@pytest.mark.parametrize("top", ALL.split())
def test_party_8_a_llama_goes_on_6_and_on_llamas_only(top: str) -> None:
    assert ("llama" in playable(top)) == (top in {"6", "6+", "llama", "pink"})


def test_party_9_a_plus_card_turned_over_at_the_start_gives_no_extra_turn() -> None:
    game = party(["3 3", "3 3"], top="3+")
    act(game, "0 play 3")
    assert game.seat == 1


def test_party_9_on_the_pink_llama_turned_over_at_the_start_a_1_or_a_llama_is_played() -> None:
    game = party(["1 1+ 2 llama", "2"], top="pink")
    assert legal_actions(game) == {"play 1", "play 1+", "play llama", "draw", "quit"}


def test_party_10_the_last_card_ends_the_round_at_once() -> None:
    game = party(["pink", "3", "3"], top="3")
    act(game, "0 play pink")
    assert rounds_over(game) == 1
    assert game.rounds[0].penalties == [0, 3, 3]


def test_party_10_the_last_one_to_quit_ends_the_round() -> None:
    game = party(["6", "5"], top="3")
    act(game, "0 quit", "1 quit")
    assert rounds_over(game) == 1


def test_party_10_player_who_is_alone_continues_without_drawing() -> None:
    game = party(["3 4 1", "1"], top="3", quitters=(1,))
    act(game, "0 play 3")
    assert game.seat == 0
    assert legal_actions(game) == {"play 4", "quit"}


def test_party_11_no_card_is_drawn_from_an_empty_pile() -> None:
    assert legal_actions(party(["3 6", "3 1"], top="3", pile="")) == {"play 3", "quit"}


def test_party_20_a_plus_card_gives_another_turn_with_all_three_actions() -> None:
    game = party(["3+ 4 1", "1"], top="2")
    act(game, "0 play 3+")
    assert (game.seat, game.phase) == (0, "turn")
    assert legal_actions(game) == {"play 4", "draw", "quit"}


def test_party_21_the_other_turn_cannot_be_passed_on() -> None:
    game = party(["3+ 1", "1"], top="2")
    act(game, "0 play 3+")
    assert legal_actions(game) == {"draw", "quit"}
    act(game, "0 quit")
    assert game.seat == 1


def test_party_22_plus_cards_follow_each_other_without_limit() -> None:
    game = party(["1+ 2+ 3+ 4+ 5+ 6+ 1", "1"], top="llama")
    act(game, *[f"0 play {number}+" for number in range(1, 7)])
    assert game.seat == 0
    assert game.sizes[0] == 1


def test_party_23_drawing_ends_the_other_turn() -> None:
    game = party(["3+ 1", "1"], top="2", pile="4 5")
    act(game, "0 play 3+", "0 draw")
    assert game.seat == 1
    assert game.sizes[0] == 2


@pytest.mark.parametrize(("pile", "quitters"), [("", ()), ("1 2", (1,))])
def test_party_24_without_drawing_and_playing_the_other_turn_is_to_quit(
    pile: str, quitters: tuple[int, ...]
) -> None:
    game = party(["3+ 1", "1"], top="2", pile=pile, quitters=quitters)
    act(game, "0 play 3+")
    assert legal_actions(game) == {"quit"}


def test_party_25_a_plus_card_as_the_last_card_ends_the_round() -> None:
    game = party(["3+", "1"], top="2", points=[5, 0])
    act(game, "0 play 3+")
    assert game.phase == "return"
    act(game, "0 keep")
    assert game.rounds[0].penalties == [0, 1]


def test_party_26_the_other_turn_is_played_on_the_plus_card() -> None:
    game = party(["3+ 2 3 4 5", "1"], top="2")
    act(game, "0 play 3+")
    assert legal_actions(game) == {"play 3", "play 4", "draw", "quit"}


def test_party_27_quitting_in_an_extra_turn_is_the_last_turn() -> None:
    game = party(["3+ 1", "1", "1"], top="2", quitters=(1, 2))
    act(game, "0 play 3+", "0 quit")
    assert game.rounds[1].starter == 0


def test_party_30_a_plus_card_and_its_number_are_one_value() -> None:
    assert penalty("4 4 4+") == 4
    assert penalty("4+") == 4


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("llama llama", 10),
        ("pink", 20),
        ("llama pink", 20),
        ("2 llama llama pink", 22),
        ("1+ 1 2+ llama", 13),
        ("", 0),
    ],
)
def test_party_31_all_llamas_score_20_with_the_pink_one_among_them(hand: str, points: int) -> None:
    assert penalty(hand) == points


def test_party_32_no_player_scores_more_than_41_or_ends_above_80() -> None:
    game = party(["3", ALL], top="3", points=[0, 39])
    act(game, "0 play 3")
    assert game.rounds[0].penalties == [0, 41]
    assert game.points == [0, 80]


def test_party_33_the_emptier_gives_back_one_token_of_his_choice() -> None:
    game = party(["3", "4"], top="3", points=[32, 0])
    act(game, "0 play 3")
    assert legal_actions(game) == {"keep", "return 1", "return 10", "return 20"}
    act(game, "0 return 1")
    assert game.points == [31, 4]


@pytest.mark.parametrize(
    ("held", "returns"), [(1, {1}), (9, {1}), (10, {1, 10}), (19, {1, 10}), (20, {1, 10, 20})]
)
def test_party_34_tokens_are_swapped_freely_so_two_blacks_go_back_as_a_pink(
    held: int, returns: set[int]
) -> None:
    game = party(["3", "4"], top="3", points=[held, 0])
    act(game, "0 play 3")
    assert legal_actions(game) == {"keep"} | {f"return {token}" for token in returns}


def test_party_35_number_of_pink_tokens_is_not_a_limit() -> None:
    game = party(["3", "4", "4", "4", "4", "4"], top="3", points=[39] + [20] * 5)
    act(game, "0 play 3", "0 return 20")
    assert game.points == [19] + [24] * 5


def test_party_36_penalties_are_added_to_the_points_held() -> None:
    game = party(["3", "1 2 3 4 5 6 llama"], top="3", points=[0, 8])
    act(game, "0 play 3")
    assert game.points == [0, 39]
    assert not game.finished


def test_party_40_the_next_round_is_dealt_from_all_cards() -> None:
    game = Party(3, SEED)
    act(game, "0 quit", "1 quit", "2 quit")
    assert sorted(game.rounds[1].deck) == sorted(Party.deck)
    assert game.rounds[1].deck != game.rounds[0].deck


def test_party_41_the_last_to_take_a_turn_starts_even_if_he_quit() -> None:
    game = party(["4 6", "1", "1"], top="4")
    act(game, "0 play 4", "1 quit", "2 draw", "0 quit", "2 quit")
    assert game.rounds[1].starter == 2


def test_party_41_the_emptier_took_the_last_turn() -> None:
    game = party(["6", "3", "5"], top="3", turn=1, points=[0, 3, 0])
    act(game, "1 play 3", "1 keep")
    assert game.rounds[1].starter == 1


def test_party_42_works_without_a_played_card() -> None:
    game = party(["1", "1", "1"], top="4")
    act(game, "0 draw", "1 quit", "2 quit", "0 quit")
    assert game.rounds[1].starter == 0


@pytest.mark.parametrize(("before", "over"), [(20, True), (19, False)])
def test_party_43_the_match_ends_at_40(before: int, over: bool) -> None:
    game = party(["3", "pink", "llama"], top="3", points=[0, before, 0])
    act(game, "0 play 3")
    assert game.finished is over
    assert game.points == [0, before + 20, 10]


def test_com_16_the_default_is_to_quit_and_to_give_back_the_highest_token() -> None:
    game = party(["3", "4"], top="3", points=[22, 0])
    assert game.notation[game.default_action()] == "quit"
    act(game, "0 play 3")
    assert game.notation[game.default_action()] == "return 20"


def test_com_14_the_end_is_the_same_before_and_after_the_return() -> None:
    game = party(["3", "pink"], top="3", points=[39, 25])
    act(game, "0 play 3", "0 return 20")
    assert game.finished
    assert game.points == [19, 45]


# The sheet's own examples


def test_ex_p1_a_llama_goes_on_a_6_and_a_1_does_not() -> None:
    game = party(["6 2", "1 llama"], top="5")
    act(game, "0 play 6")
    assert legal_actions(game) == {"play llama", "draw", "quit"}


def test_ex_p2_rocky_quits_with_three_5s_and_scores_5() -> None:
    game = party(["5 5 5", "3"], top="3")
    act(game, "0 quit", "1 play 3")
    assert game.rounds[0].penalties[0] == 5


def test_ex_p3_janet_alone_plays_3_4_4_and_scores_11() -> None:
    game = party(["6", "6", "6", "3 4 4 1 1 llama"], top="2", turn=3, quitters=(0, 1, 2))
    act(game, "3 play 3", "3 play 4", "3 play 4")
    assert legal_actions(game) == {"quit"}
    act(game, "3 quit")
    assert game.rounds[0].penalties[3] == 11


def test_ex_p4_janet_gives_back_20_of_32() -> None:
    game = party(["3", "4"], top="3", points=[32, 0])
    act(game, "0 play 3", "0 return 20")
    assert game.points[0] == 12


# Plus cards and the pink llama, enumerated


def may_lie_on(card: str, top: str) -> bool:
    """The rule sheet as code: the cards that may be played."""
    if card == "pink":
        return True
    on_a_llama = top in ("llama", "pink")
    if card == "llama":
        return on_a_llama or top in ("6", "6+")
    if on_a_llama:
        return card in ("1", "1+")
    return int(card[0]) - int(top[0]) in (0, 1)


@pytest.mark.parametrize("top", ALL.split())
def test_every_card_on_every_top(top: str) -> None:
    assert playable(top) == {card for card in ALL.split() if may_lie_on(card, top)}


def chains(game: Party) -> set[tuple[str, ...]]:
    """All that can be played in one go of plus cards, from here on."""
    found = {tuple(game.history)}
    for action in legal_actions(game):
        if action.endswith("+"):
            again = game.clone()
            act(again, f"0 {action}")
            assert again.seat == 0
            found |= chains(again)
    return found


def walks(step: int, left: frozenset[int]) -> set[tuple[str, ...]]:
    """The same, walking from a step of the circle to the same one or to the next."""
    found: set[tuple[str, ...]] = {()}
    for card in left & {step, step % 7 + 1}:
        found |= {(f"0 play {card}+", *rest) for rest in walks(card, left - {card})}
    return found


@pytest.mark.parametrize("top", ALL.split())
def test_all_chains_of_plus_cards(top: str) -> None:
    game = party(["1+ 2+ 3+ 4+ 5+ 6+ llama llama", "1"], top=top)
    step = 7 if top in ("llama", "pink") else int(top[0])
    assert chains(game) == walks(step, frozenset(range(1, 7)))

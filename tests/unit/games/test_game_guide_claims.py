"""The claims of the game guides, tested with the engine.

Each test quotes a sentence of `arena/games/guides` and shows that the engine plays by it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from arena.games.guides import prose
from arena.games.rules import GAMES, game_class
from arena.games.rules.game import Game
from arena.games.rules.kadabra import Kadabra
from arena.games.rules.kadabra_cards import KINDS
from arena.games.rules.shedding import SheddingGame
from tests.tables import SEED, act, dice, kadabra, lama, legal_actions, party

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
CARD_GAMES = [name for name in GAMES if issubclass(game_class(name), SheddingGame)]
DOCS = Path(__file__).parents[3] / "docs" / "rules.md"


def said(name: str) -> str:
    """A page's prose on one line."""
    return " ".join(prose(game_class(name)).split())


def claims(name: str, *sentences: str) -> None:
    for sentence in sentences:
        assert sentence in said(name)


def deck(name: str) -> Counter[str]:
    game = game_class(name)(2, SEED)
    return Counter(game.kinds[kind] for kind in game.make_deck())


def numbers(of: Iterable[str]) -> str:
    """ "`2#` to `6#`", as a guide writes a range of cards."""
    first, *_, last = sorted(of)
    return f"`{first}` to `{last}`"


def game_of(name: str, **changes: str) -> Game:
    return game_class(name)(3, SEED, changes)


# Cards


@pytest.mark.parametrize("name", GAMES)
def test_every_card_a_page_names_is_a_card_of_the_game(name: str) -> None:
    shapes = r"`([1-6](?:[o#*+]|/[1-6])?|llama|pink)`"
    assert set(re.findall(shapes, said(name))) <= set(game_class(name).kinds)


def test_decks_are_documented_card_by_card() -> None:
    assert set(deck("lama").values()) == {8}
    claims("lama", "Eight each of 1 to 6 and of the llama", f"All {deck('lama').total()} are")

    plus = [kind for kind in game_class("party").kinds if kind.endswith("+")]
    counts = deck("party")
    assert all(counts[kind] == 1 for kind in (*plus, "pink"))
    assert all(counts[kind] == 7 for kind in ("1", "2", "3", "4", "5", "6", "llama"))
    claims("party", "Seven each of 1 to 6", f"({numbers(plus)})", "seven llamas and one pink llama")
    claims("party", f"(`pink`): {counts.total()}.")

    grey = deck("dice")
    assert [grey[str(n)] for n in range(1, 7)] == [5] * 6
    claims("dice", f"the other {grey.total()} (five of each number, {WORDS[grey['llama']]} llamas)")


def test_deck_of_kadabra_is_documented_by_value() -> None:
    values = Counter[str]()
    for kind, count in deck("kadabra").items():
        values[kind.rstrip("o#*")] += count

    assert values["1"] == values["6"] == 8
    assert {values[n] for n in "2345"} == {7}
    claims("kadabra", f"{values.total()}: eight each of 1 and 6, seven each of 2 to 5")
    claims("kadabra", "two `2/3`, two `4/5`, twelve llamas")
    assert (values["2/3"], values["4/5"], values["llama"]) == (2, 2, 12)


def test_icons_are_documented_with_exactly_their_cards() -> None:
    page = prose(Kadabra)
    for icon in "#*":
        having = [kind for kind in KINDS if kind.endswith(icon)]
        assert [kind[0] for kind in having] == list("23456")
        assert f"\n- {numbers(having)}: " in page
    assert [kind for kind in KINDS if kind.endswith("o")] == ["1o"]
    assert "\n- `1o`, only on a 1: " in page
    assert "any number" not in page


def test_default_number_of_icons_is_documented() -> None:
    claims("kadabra", "By default all 1s have theirs, and each other number has one card with each")
    counts = deck("kadabra")
    assert counts["1o"] == 8
    assert "1" not in counts
    assert {counts[f"{n}{icon}"] for n in range(2, 7) for icon in "#*"} == {1}


# Rounds


@pytest.mark.parametrize("name", GAMES)
def test_every_round_is_dealt_from_all_cards_reshuffled(name: str) -> None:
    assert re.search(r"All .*shuffled for every round|For every round.* all shuffled", said(name))
    game = game_of(name)
    first = list(game.log.deck)
    while game.round == 1:
        game.apply(game.default_action())

    assert sorted(game.log.deck) == sorted(first) == sorted(game.make_deck())
    assert game.log.deck != first


@pytest.mark.parametrize("name", GAMES)
def test_seat_0_starts_the_first_round(name: str) -> None:
    claims(name, "Seat 0 starts the first round")
    assert [game_class(name)(seats, SEED).log.starter for seats in range(2, 7)] == [0] * 5


@pytest.mark.parametrize("name", GAMES)
def test_the_match_ends_when_40_points_are_held(name: str) -> None:
    claims(name, "after a round if a player then has 40 points or more")
    for points, over in ((39, False), (40, True)):
        game = game_of(name)
        game.points = [points, 0, 0]
        game.end_round()
        assert game.finished == over


STARTERS: dict[str, tuple[Callable[..., SheddingGame], int, str]] = {
    "lama": (
        lama,
        0,
        "The last player to play a card starts the next one, or if no card was played, the last",
    ),
    "party": (
        party,
        1,
        "The last player to take a turn starts the next one, even if that turn was quitting",
    ),
    "kadabra": (
        kadabra,
        1,
        "the last player to act starts the next one. Being made to draw or being given a token",
    ),
}


@pytest.mark.parametrize("name", CARD_GAMES)
def test_starter_of_the_next_round_is_documented(name: str) -> None:
    table, starter, sentence = STARTERS[name]
    claims(name, sentence)

    played = table(["1 1", "4 4"], top="6")
    act(played, "0 draw", "1 quit", "0 quit")
    assert played.log.starter == 0

    played = table(["6 1", "4 4"], top="6")
    act(played, "0 play 6", "1 draw", "0 quit", "1 quit")
    assert played.log.starter == starter


def test_the_last_to_roll_or_quit_starts_the_next_round_of_dice() -> None:
    claims("dice", "the last player to roll or quit starts the next one")
    game = dice(["1 2", "3"], llama_row="6")
    act(game, "0 quit", "1 roll 1 1 2")
    assert (game.round, game.log.starter) == (2, 1)


@pytest.mark.parametrize("name", CARD_GAMES)
def test_drawing_from_an_empty_pile_is_not_possible_and_the_round_continues(name: str) -> None:
    assert re.search(
        r"empty, drawing is no longer|drawing from an empty pile is not|cannot draw from an empty",
        said(name),
    )
    game = STARTERS[name][0](["1 4", "1 4", "1 4"], top="1", pile="")
    assert "draw" not in legal_actions(game)
    act(game, "0 quit")
    assert game.seat == 1


# Icons


def test_a_token_to_give_away_needs_a_token_and_a_receiver() -> None:
    claims("kadabra", "It has no effect if you have no token or all other players have quit.")
    poor = kadabra(["1o 4", "4 4"], top="1", tokens=[(0, 0), (3, 0)])
    act(poor, "0 play 1o")
    assert (poor.phase, poor.seat) == ("turn", 1)

    alone = kadabra(["1o 4", "4 4"], top="1", quitters=[1])
    act(alone, "0 play 1o")
    assert (alone.phase, alone.seat, alone.tokens[0].whites) == ("turn", 0, 3)


@pytest.mark.parametrize("card", ["2#", "6#"])
def test_the_next_player_draws_but_not_from_an_empty_pile(card: str) -> None:
    claims("kadabra", "the next player who is still in the round draws a card and then has a")
    claims("kadabra", "If the draw pile is empty, no card is drawn.")
    for pile, cards in (("5", 3), ("", 2)):
        game = kadabra([f"{card} 4", "4 4"], top=card[0], pile=pile)
        act(game, f"0 play {card}")
        assert (game.seat, game.sizes[1]) == (1, cards)


def test_drawing_alone_with_the_last_card_ends_the_round_and_gives_nothing_back() -> None:
    claims("kadabra", "the round still ends. That card costs points, and you return nothing")
    game = kadabra(["2#", "4"], top="2", pile="5", quitters=[1], tokens=[(5, 0), (0, 0)])
    act(game, "0 play 2#")
    assert (game.round, game.rounds[0].penalties[0]) == (2, 5)


def test_ten_whites_are_swapped_in_a_turn_and_before_giving() -> None:
    claims("kadabra", "on any of your turns, and before you choose who gets a token")
    game = kadabra(["1o 4", "4 4"], top="1", tokens=[(10, 0), (0, 0)])
    assert "swap" in legal_actions(game)
    act(game, "0 play 1o")
    assert "swap" in legal_actions(game)


def test_tokens_left_on_the_stage_need_another_llama_for_a_show() -> None:
    claims("kadabra", "stay there, and the next show needs another llama")
    game = kadabra(["6 llama", "6 4"], top="5", stage=(5, 0))
    assert "collect" not in legal_actions(game)
    act(game, "0 play 6", "1 draw", "0 play llama")
    assert game.stage.whites == 6


# Dice


def test_alone_three_llamas_are_no_bust() -> None:
    claims("dice", "they bust on any roll without a match in their own row, except on three llamas")
    game = dice(["1 2", "3"], quitters=[1])
    act(game, "0 roll llama llama llama")
    assert (game.round, game.seat) == (1, 0)
    act(game, "0 roll 3 4 4")
    assert game.round == 2


def test_points_of_dice_come_in_few_tokens_and_are_swapped_one_way() -> None:
    claims("dice", "you can return a 1 if you have a white, and a 10 if you have a black or ten")
    for tokens, back in (((0, 1), {"return 10"}), ((10, 0), {"return 1", "return 10"})):
        game = dice(["1", "3"], tokens=[tokens, (0, 0)])
        act(game, "0 roll 1 2 2", "0 discard 1")
        assert legal_actions(game) == {"keep", *back}


# docs/rules.md


def test_the_documented_indices_are_those_of_the_notation() -> None:
    (row,) = re.findall(r"^\| `keep` at \|(.+)\|$", DOCS.read_text(), re.M)
    games = (game_class(name) for name in ("lama", "party", "dice", "kadabra"))
    assert [int(cell) for cell in row.split("|")] == [game.keep for game in games]

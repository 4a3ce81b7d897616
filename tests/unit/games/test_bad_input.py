"""Each kind of bad input has an error class, and leaves the game unchanged."""

from collections.abc import Callable
from functools import partial

import pytest

from arena.games.rules import GAMES, Game, game_class
from arena.games.rules.errors import (
    BadDeck,
    BadOption,
    BadSeats,
    IllegalAction,
    MalformedAction,
    OutOfTurn,
    UnknownGame,
)
from arena.games.rules.lama import Lama
from tests.tables import SEED, act, lama, state

every_game = pytest.mark.parametrize("kind", GAMES.values(), ids=GAMES)

NOT_OFFERED = {"lama": "return 10", "party": "return 20", "dice": "take 3", "kadabra": "collect"}
MALFORMED = {
    "lama": ["return 20", "roll", "play 1+"],
    "party": ["play 7+", "play pink llama", "return 5"],
    "dice": ["draw", "discard", "discard 5 2", "discard 1 1 1 1", "take", "roll 1 2 3"],
    "kadabra": ["give", "give +0", "give +6", "play 2o", "play 1#", "play 3/2", "swap 10"],
}


def refused(game: Game, error: type[Exception], said: str, deed: Callable[[], object]) -> None:
    """The deed raises the error with this in its sentence, and changes nothing."""
    before = state(game)
    with pytest.raises(error, match=said) as raised:
        deed()
    assert str(raised.value).endswith(".")
    assert state(game) == before


@every_game
def test_an_action_not_offered_is_refused(kind: type[Game]) -> None:
    game, action = kind(3, SEED), NOT_OFFERED[kind.name]
    refused(game, IllegalAction, f"'{action}' is not legal", lambda: act(game, f"0 {action}"))


def test_rejection_lists_legal_actions() -> None:
    with pytest.raises(IllegalAction, match="Legal actions: play 3, draw, quit"):
        act(lama(["3", "1"], top="3"), "0 play 6")


@every_game
@pytest.mark.parametrize("index", [-1, 9999])
def test_index_that_is_not_an_action_is_rejected(kind: type[Game], index: int) -> None:
    game = kind(2, SEED)
    refused(game, IllegalAction, f"action {index}' is not legal", lambda: game.apply(index))


@every_game
def test_another_seats_action_is_out_of_turn(kind: type[Game]) -> None:
    game = kind(3, SEED)
    refused(game, OutOfTurn, "Seat 0 is to act, not seat 1", lambda: act(game, "1 quit"))


@every_game
def test_an_action_after_the_end_is_out_of_turn(kind: type[Game]) -> None:
    game = kind(2, SEED, {"max_rounds": "1"})
    act(game, "0 quit", "1 quit")
    refused(game, OutOfTurn, "match is over", lambda: act(game, "0 quit"))


@every_game
def test_malformed_action_differs_from_illegal_action(kind: type[Game]) -> None:
    game = kind(2, SEED)
    for text in ["", "play", "play 7", "QUIT", " quit", "play  4", "fly", *MALFORMED[kind.name]]:
        said = f"is not an action of {kind.title}"
        refused(game, MalformedAction, said, partial(game.parse, text))


@every_game
def test_a_deck_that_does_not_add_up_is_refused(kind: type[Game]) -> None:
    game = kind(3, SEED)
    deck = list(kind.deck)
    for cards, said in (
        (deck[1:], "1 are missing, 0 are too many"),
        ([*deck, deck[0]], "0 are missing, 1 are too many"),
        ([deck[-1], *deck[1:]], "1 are missing, 1 are too many"),
        ([99, *deck[1:]], "1 are missing, 1 are too many"),
        ([], f"{len(deck)} are missing"),
    ):
        refused(game, BadDeck, said, partial(game.deal, cards, 0))


def test_variant_with_inconsistent_cards_is_rejected() -> None:
    with pytest.raises(BadDeck, match="not one of its kinds"):
        type("Odd", (Lama,), {"deck": (*Lama.deck, 7)})
    with pytest.raises(BadDeck, match="too small for 6 seats"):
        type("Small", (Lama,), {"deck": Lama.deck[:36]})


def test_an_unknown_game_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownGame, match="The games are: lama, party, dice, kadabra"):
        game_class("poker")


@every_game
@pytest.mark.parametrize("seats", [-1, 0, 1, 7])
def test_com_1_other_numbers_of_players_are_refused(kind: type[Game], seats: int) -> None:
    with pytest.raises(BadSeats, match="2 to 6 seats"):
        kind(seats, SEED)


@every_game
def test_an_unknown_option_is_refused_with_the_known_ones(kind: type[Game]) -> None:
    with pytest.raises(BadOption, match='no option "speed". It has: max_rounds'):
        kind(2, SEED, {"speed": "9"})


@every_game
@pytest.mark.parametrize("value", ["0", "-1", "10001", "many", "", "1.5", "²", "1" * 5000])
def test_com_15_max_rounds_is_a_number_of_rounds(kind: type[Game], value: str) -> None:
    with pytest.raises(BadOption, match=f"max_rounds of {kind.title} takes a whole number"):
        kind(2, SEED, {"max_rounds": value})


@pytest.mark.parametrize(
    "faces",
    [
        "",
        "1 2 3 4 llama llama",
        "1 2 3 4 llama llama / 1 2 5 6 llama llama",
        "1 2 3 4 5 6 / 1 2 3 4 5 6 / llama llama llama llama llama llama",
        "1 2 3 4 llama llama / 1 2 3 4 llama llama / 5 5 6 6 llama llama",
        "1 2 3 4 llama llama / 1 2 3 4 llama llama / 3 4 5 6 llama llama",
        "1 2 3 4 llama llama / 1 2 5 6 llama llama / 3 4 5 7 llama llama",
        "1 2 3 4 llama llama / 1 2 5 6 llama llama / 3 4 5 6 llama",
        "1 2 3 4 llama llama / 1 2 5 6 llama llama / 3 4 5 6 llama llama /",
        "1,2,3,4,llama,llama / 1,2,5,6,llama,llama / 3,4,5,6,llama,llama",
    ],
)
def test_dice_3_dice_that_cannot_be_are_refused(faces: str) -> None:
    with pytest.raises(BadOption, match=r"dice\.faces of LAMA Dice takes three dice"):
        game_class("dice").check_options({"dice.faces": faces})


@pytest.mark.parametrize(
    ("specials", "said"),
    [
        ("2o:1", "'2o:1' does not fit"),
        ("1#:1", "'1#:1' does not fit"),
        ("1*:1", "'1\\*:1' does not fit"),
        ("llama*:1", "does not fit"),
        ("2/3*:1", "does not fit"),
        ("7*:1", "does not fit"),
        ("2:1", "does not fit"),
        ("2*", "does not fit"),
        ("2*:", "does not fit"),
        ("2*:-1", "does not fit"),
        ("2*:²", "does not fit"),
        ("2*:1 2*:1", "does not fit"),
        ("1o:9", "asks for 9 special 1s, but the deck has 8"),
        ("2#:4 2*:4", "asks for 8 special 2s, but the deck has 7"),
        ("6*:" + "9" * 5000, "does not fit"),
    ],
)
def test_kad_4_special_cards_that_cannot_be_are_refused(specials: str, said: str) -> None:
    with pytest.raises(BadOption, match=said):
        game_class("kadabra").check_options({"kadabra.specials": specials})


@every_game
def test_defaults_are_in_normal_form(kind: type[Game]) -> None:
    for option in kind.known_options.values():
        assert option.normalize(option.default) == option.default


@every_game
def test_a_seed_has_16_bytes(kind: type[Game]) -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        kind(2, b"short")

"""The actions on offer, in groups of buttons."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from arena.games.rules import GAMES, Game, View
from dashboard.play.offers import ButtonGroup, Choice, group_of, groups, in_hand
from tests.property.play import states

NAMES = ("you", "ada", "bob", "cyd", "dot", "eve")
every_game = pytest.mark.parametrize("kind", GAMES.values(), ids=GAMES)


def decisions(kind: type[Game], matches: int = 6) -> Iterator[View]:
    """Decisions with a choice, from random matches of 2 to 6 seats."""
    for number in range(matches):
        chance = random.Random(number)
        game = kind(2 + number % 5, chance.randbytes(16))
        for state in states(game, chance, 0.9):
            if len(state.legal_actions) > 1:
                yield state.view("m", 1)


def view(**changes: Any) -> View:
    """A decision of seat 0 in LAMA, with these fields."""
    game = GAMES["lama"](4, bytes(16))
    return game.view("m", 1)._replace(**changes)


def offered(*actions: str, game: str = "lama", **changes: object) -> list[ButtonGroup]:
    indices = tuple(GAMES[game].action_index[action] for action in actions)
    return groups(view(game=game, actions=actions, indices=indices, **changes), NAMES)


def told(group: ButtonGroup) -> list[tuple[str, str]]:
    return [(choice.action, choice.key) for choice in group.choices]


@every_game
def test_every_offered_action_is_one_button_and_no_two_have_a_key(kind: type[Game]) -> None:
    for decision in decisions(kind):
        found = [choice for group in groups(decision, NAMES) for choice in group.choices]
        assert sorted(choice.index for choice in found) == sorted(decision.indices)
        assert {choice.index: choice.action for choice in found} == dict(
            zip(decision.indices, decision.actions, strict=True)
        )
        keys = [choice.key for choice in found if choice.key]
        assert len(keys) == len(set(keys))
        assert all(choice.key or len(choice.cards) > 1 for choice in found)


@every_game
def test_every_action_of_a_game_has_a_label(kind: type[Game]) -> None:
    for action in kind.notation:
        known = {group.name for group in offered(action, "quit", game=kind.name, penalty=5)}
        assert group_of(action) in known
    for decision in decisions(kind):
        for group in groups(decision, NAMES):
            assert all(c.label and c.label != c.action for c in group.choices)


def test_cards_come_first_and_quitting_comes_last() -> None:
    found = offered("play 4", "play 5", "draw", "quit", penalty=9)

    assert [(group.name, group.title) for group in found] == [
        ("cards", "Play a card"),
        ("turn", "Or"),
        ("leave", "Or leave the round"),
    ]
    assert told(found[0]) == [("play 4", "4"), ("play 5", "5")]
    assert told(found[1]) == [("draw", "d")]
    assert found[2].choices[0].note == "your cards cost 9"


def test_a_card_has_the_key_of_its_number() -> None:
    cards, *_ = offered("play 6", "play 6+", "play llama", "play pink", "draw", game="party")
    assert told(cards) == [
        ("play 6", "6"),
        ("play 6+", "shift+6"),
        ("play llama", "l"),
        ("play pink", "p"),
    ]
    assert [choice.key_label for choice in cards.choices] == ["6", "⇧6", "L", "P"]


def test_double_card_has_the_key_of_a_free_number() -> None:
    cards, *_ = offered("play 2", "play 2/3", "play 2#", "play 2*", "draw", game="kadabra")
    assert told(cards) == [
        ("play 2", "2"),
        ("play 2/3", "3"),
        ("play 2#", "shift+2"),
        ("play 2*", "v"),
    ]


def test_title_says_that_no_card_fits() -> None:
    assert offered("draw", "quit")[0].title == "No card of yours fits"
    assert offered("roll", "quit", game="dice", top="")[0].title == ""


def test_cards_of_a_roll_are_discarded_together() -> None:
    found = offered("discard 1", "discard 1 llama", game="dice", ask="discard", penalty=0)

    (group,) = found
    assert group.title == "Discard what you rolled"
    assert [choice.cards for choice in group.choices] == [("1",), ("1", "llama")]


def test_receivers_of_a_token_are_named() -> None:
    give = offered("give +1", "give +3", "swap", game="kadabra", ask="give", seat=2)

    people, beside = give
    assert [choice.label for choice in people.choices] == ["cyd", "eve"]
    assert (people.title, told(beside)) == ("Your lowest token goes to", [("swap", "s")])


def test_tokens_are_counted_off_and_a_ten_may_cost_ten_whites() -> None:
    asked = {"ask": "return", "seat": 0, "whites": (12, 0), "blacks": (0, 1)}
    (group,) = offered("keep", "return 1", "return 10", game="kadabra", **asked)

    assert told(group) == [("keep", "k"), ("return 1", "1"), ("return 10", "2")]
    assert [choice.note for choice in group.choices] == ["", "", "for ten whites"]


def test_button_of_a_special_card_shows_its_effect() -> None:
    cards, _ = offered("play 2", "play 1o", "play 3#", "play 4*", "quit", game="kadabra", magic="")

    assert [choice.note for choice in cards.choices] == [
        "",
        "and give a token away",
        "and the next one draws",
        "and take the magic token",
    ]


def test_magic_token_is_included_in_the_cost_of_quitting() -> None:
    (leave,) = offered("quit", game="kadabra", magic="0", penalty=3)

    assert leave.choices[0].note == "your cards cost 3, 13 with the magic token"


def test_card_in_hand_can_be_pressed_if_its_action_is_unambiguous() -> None:
    actions = ("play 4", "play llama", "draw", "quit")
    indices = tuple(GAMES["lama"].action_index[action] for action in actions)
    found = in_hand(view(actions=actions, indices=indices))

    assert {card: choice.action for card, choice in found.items()} == {
        "4": "play 4",
        "llama": "play llama",
    }
    assert isinstance(found["4"], Choice)
    dice = ("discard 1", "discard 1 2", "discard 2")
    pressed = in_hand(view(actions=dice, indices=(9, 10, 11)))
    assert {card: choice.action for card, choice in pressed.items()} == {
        "1": "discard 1",
        "2": "discard 2",
    }

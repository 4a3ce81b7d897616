"""A match told as a score sheet, for every game."""

import json
import random
import re
from pathlib import Path

import pytest

from arena.games.match import Match, MatchSetup, Seat
from arena.games.record import export
from arena.games.replay import restarted
from arena.games.rules import GAMES
from dashboard.layout.markup import card, token
from dashboard.matches.detail.sheet import Words, in_words, sheet

NAMES = ("ada", "bob", "cyd")
RECORDS = Path(__file__).parents[2] / "golden"


def played(game: str, seed: int) -> Match:
    setup = MatchSetup("m", game, seed.to_bytes(16, "big"), tuple(map(Seat, NAMES)))
    match, die = Match(setup), random.Random(seed)
    while match.decision:
        match.answer(die.choice(match.decision.actions))
    return match


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(5))
def test_the_sheet_read_line_by_line_is_the_record(game: str, seed: int) -> None:
    match = played(game, seed)

    rounds = sheet(match)

    record = export(match)["rounds"]
    assert [told["points"] for told in record] == [list(each.points) for each in rounds]
    read = [move for each in rounds for line in each.lines for moves in line for move in moves]
    written = [move for told in record for move in told["moves"]]
    assert [move.number for move in read] == list(range(1, len(written) + 1))
    assert [move.seat for move in read] == [move["seat"] for move in written]
    assert [list(move.dice) for move in read] == [move.get("dice", []) for move in written]


@pytest.mark.parametrize("game", ["lama", "party", "kadabra"])
def test_drawn_cards_are_those_of_the_pile_in_order(game: str) -> None:
    match = played(game, 3)

    for each, told in zip(sheet(match), export(match)["rounds"], strict=True):
        moves = [move for line in each.lines for moves in line for move in moves]
        drawn = [name for move in moves for name in move.drawn]
        assert drawn == told["pile"][: len(drawn)]
        assert all(move.drawn for move in moves if move.words.verb == "draws")


@pytest.mark.parametrize("game", GAMES)
def test_points_of_a_round_add_up(game: str) -> None:
    match = played(game, 1)
    held = restarted(match.game).points
    for each in sheet(match):
        changes = zip(held, each.penalties, each.otherwise, strict=True)
        held = [sum(change) for change in changes]
        assert held == list(each.points)


@pytest.mark.parametrize("game", GAMES)
def test_every_action_has_a_verb(game: str) -> None:
    for action in GAMES[game].notation:
        assert in_words(action, 0, NAMES).verb.endswith("s")


def test_actions_are_told_in_words_and_cards() -> None:
    assert in_words("play llama", 0, NAMES) == Words("plays", ("llama",))
    assert in_words("discard 1 2 2", 0, NAMES) == Words("discards", ("1", "2", "2"))
    assert in_words("return 10", 0, NAMES) == Words("returns", token="10")
    assert in_words("return magic", 0, NAMES) == Words("returns", more="magic")
    assert in_words("give +2", 2, NAMES) == Words("gives", more="to bob")
    assert in_words("juggle 3", 0, NAMES) == Words("juggle 3")


def test_a_card_without_a_drawing_is_text_in_a_frame() -> None:
    assert card("<b>") == '<span class="card card-other"><span>&lt;b&gt;</span></span>'
    assert 'class="card card-4"' in card("4+")


@pytest.mark.parametrize(
    ("name", "tip"),
    [
        ("4+", "goes again"),
        ("1o", "gives a token away"),
        ("2#", "next player draw"),
        ("2*", "magic token"),
        ("2/3", "a 2 and a 3"),
        ("pink", "goes on any card"),
        ("llama", "costs 10"),
    ],
)
def test_a_card_with_more_on_it_than_a_number_says_what_it_means(name: str, tip: str) -> None:
    found = re.search('title="([^"]+)"', card(name))
    assert found is not None
    assert tip in found[1]
    assert "title" not in card("3")


def test_tokens_say_what_they_are_worth() -> None:
    assert 'title="1 point"' in token("1")
    assert 'title="20 points"' in token("20")
    assert 'class="token token-10"' in token("10")


def test_golden_records_can_be_told() -> None:
    for file in sorted(RECORDS.glob("records-*.jsonl")):
        record = json.loads(file.read_text().splitlines()[0])["record"]
        for move in (move for told in record["rounds"] for move in told["moves"]):
            assert in_words(move["action"], move["seat"], NAMES[: len(record["seats"])]).verb

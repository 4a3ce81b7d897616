"""Texts of every table: its goal, its legend, the game in one minute."""

import pytest

from arena.games.rules import GAMES
from dashboard.table.texts import LESSONS, SYMBOLS, goal, lesson, symbols

WORDS_A_MINUTE = 200


def deck(game: str) -> set[str]:
    """The signs on the cards of a game, other than numbers."""
    return {kind.lstrip("123456") if kind[:1].isdigit() else kind for kind in GAMES[game].kinds}


def test_every_game_has_a_legend_and_a_lesson() -> None:
    assert set(SYMBOLS) == set(LESSONS) == set(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_a_legend_explains_whatever_is_printed_on_a_card(game: str) -> None:
    explained = {each.sample for each in symbols(game) if each.kind == "card"}
    signs = {name.lstrip("123456") if name[:1].isdigit() else name for name in explained}

    assert {sign[:1] for sign in deck(game)} == {sign[:1] for sign in signs}


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_is_read_in_a_minute(game: str) -> None:
    words = sum(len(f"{step.title} {step.text}".split()) for step in lesson(game))

    assert 50 < words <= WORDS_A_MINUTE


def test_the_goal_is_a_sentence_about_this_match() -> None:
    assert goal("lama", {}) == "Fewest points win. The match ends when a player has 40."
    assert goal("dice", {"max_rounds": "500"}) == goal("lama", {})
    assert goal("lama", {"max_rounds": "1"}).endswith("The match ends after one round.")
    assert "after 3 rounds, or when a player has 40" in goal("kadabra", {"max_rounds": "3"})


def test_a_game_without_a_lesson_has_a_table_all_the_same() -> None:
    assert lesson("fifth") == ()
    assert symbols("fifth")

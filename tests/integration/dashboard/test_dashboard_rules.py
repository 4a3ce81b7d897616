"""The pages on the games say what `arena rules` says."""

import html
import re

import pytest
from flask.testing import FlaskClient

from arena.games.guides import guide
from arena.games.rules import GAMES, game_class


def test_the_list_leads_to_every_game(browser: FlaskClient) -> None:
    listed = browser.get("/rules").text
    assert all(f'href="/rules/{name}"' in listed for name in GAMES)
    assert listed.count("Get rid of your cards") == len(GAMES)  # each game in one minute


@pytest.mark.parametrize("name", GAMES)
def test_a_game_has_its_page(browser: FlaskClient, name: str) -> None:
    shown = browser.get(f"/rules/{name}")
    assert shown.status_code == 200
    said = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", shown.text)).split())
    for sentence in re.findall(r"^[A-Za-z][^|`*\n]{40,}$", guide(name), re.MULTILINE):
        assert " ".join(sentence.split()) in said
    for action in game_class(name).notation[:4]:
        assert f"<code>{action}</code>" in shown.text
    assert "|---|" not in shown.text, "tables are tables"


@pytest.mark.parametrize("name", GAMES)
def test_players_find_rules_without_notation_and_authors_find_it_below(
    browser: FlaskClient, name: str
) -> None:
    for_players, _, for_authors = browser.get(f"/rules/{name}").text.partition("For bot authors")
    assert "In one minute" in for_players
    assert "ruleset" not in for_players
    assert f"Indices of ruleset <code>{game_class(name).ruleset}</code>" in for_authors
    assert "Packed decisions" in for_authors


def test_the_same_as_json(browser: FlaskClient) -> None:
    told = browser.get("/api/rules/dice").get_json()
    assert told["actions"] == list(game_class("dice").notation)
    assert told["sheet"] == guide("dice")
    assert set(told["options"]) == {"max_rounds", "dice.faces"}


def test_an_unknown_game_is_not_found(browser: FlaskClient) -> None:
    assert browser.get("/rules/chess").status_code == 404
    answer = browser.get("/api/rules/chess")
    assert answer.status_code == 404
    assert "Games: " in answer.get_json()["error"]

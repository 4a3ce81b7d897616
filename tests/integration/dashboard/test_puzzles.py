"""Puzzles: secrecy before the answer, hints, ratings, and matches that cannot be shown."""

import json
import re
import time
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update
from werkzeug.test import TestResponse

from arena.base.errors import NotFound, Unavailable
from arena.store import Store
from arena.store.matches import matches
from arena.store.matches.matches import StoredMatch
from arena.store.reviews import puzzles, requests
from arena.store.reviews.puzzles import StoredPuzzle
from arena.store.tables import puzzles as rows
from arena.store.tables import tournaments
from dashboard.play.puzzles import position
from tests.integration.people import person, send
from tests.integration.puzzled import choices, puzzle_at, store_puzzles
from tests.integration.reviewed import NAMES, some_matches

PAGE = "/play/puzzles/1"


@pytest.fixture
def match(sqlite_store: Store) -> StoredMatch:
    return some_matches(sqlite_store)[0]


@pytest.fixture
def puzzle(sqlite_store: Store, match: StoredMatch) -> StoredPuzzle:
    (found,) = store_puzzles(sqlite_store, match)
    return found


@pytest.fixture
def ann(app: Flask, sqlite_store: Store) -> FlaskClient:
    return person(app, sqlite_store, "ann")


def index_of(match: StoredMatch, puzzle: StoredPuzzle, place: int) -> str:
    """The value of a button: the index of an action by its rank."""
    view = next(view for view in choices(match) if view.number == puzzle.number)
    return str(view.indices[view.actions.index(puzzle.alternatives[place].action)])


def answers(
    browser: FlaskClient, match: StoredMatch, puzzle: StoredPuzzle, place: int = 0, **more: str
) -> TestResponse:
    page = f"/play/puzzles/{puzzle.id}"
    sent = browser.get(page).text
    (token,) = set(re.findall(r'name="csrf_token" value="([^"]+)"', sent))
    form = {"choice": index_of(match, puzzle, place), "csrf_token": token, **more}
    return browser.post(page, data=form, follow_redirects=True)


def main_of(browser: FlaskClient, path: str = PAGE) -> str:
    """The content of a page, without its tokens."""
    text = browser.get(path).text
    text = text[text.index("<main") : text.index("</main>")]
    return re.sub(r'value="[^"]{40,}"', "", text)


def test_a_page_before_the_answer_does_not_depend_on_the_answer(
    browser: FlaskClient, match: StoredMatch, puzzle: StoredPuzzle, sqlite_store: Store
) -> None:
    before, told = main_of(browser), browser.get("/api/puzzles/1").text
    other = puzzle_at(choices(match)[-1], best=1)
    with sqlite_store.write() as conn:
        conn.execute(update(rows).values(alternatives=json.dumps(other.alternatives)))
    assert main_of(browser) == before
    assert browser.get("/api/puzzles/1").text == told
    assert "What is best?" in before


def test_a_page_before_the_answer_hides_the_match_and_all_that_the_seat_does_not_know(
    browser: FlaskClient, ann: FlaskClient, match: StoredMatch, puzzle: StoredPuzzle
) -> None:
    view = choices(match)[-1]
    for path in ("/play/puzzles", PAGE, f"{PAGE}?hint=1", "/api/puzzles", "/api/puzzles/1"):
        for who in (browser, ann):
            text = who.get(path).text
            assert match.id not in text
            assert match.seed.hex() not in text
            assert not re.search(rf"\b({'|'.join(NAMES)})\b", text.replace("Seat", ""))
            assert "61.2" not in text
            assert "0.6123" not in text
    html = main_of(browser)
    hidden = [size for seat, size in enumerate(view.hand_sizes) if seat != view.seat]
    assert [int(n) for n in re.findall(r'how-many" aria-hidden="true">(\d+)', html)] == hidden
    (mine,) = re.findall(
        r'<span class="hand" role="group" aria-label="Your cards">(.*?)</p>', html, re.DOTALL
    )
    assert len(re.findall(r'class="card card-', mine)) == len(view.hand)
    told: dict[str, Any] = browser.get("/api/puzzles/1").get_json()["position"]
    assert tuple(told["hand"]) == view.hand
    assert not {"match", "number", "key", "best", "alternatives"} & set(told)


@pytest.mark.parametrize("state", ["running", "waiting", "cancelled"])
def test_a_position_of_an_unfinished_tournament_never_appears(
    browser: FlaskClient,
    ann: FlaskClient,
    match: StoredMatch,
    puzzle: StoredPuzzle,
    sqlite_store: Store,
    state: str,
) -> None:
    with sqlite_store.write() as conn:
        conn.execute(update(tournaments).values(state=state))
    for who in (browser, ann):
        assert who.get(PAGE).status_code == who.get("/api/puzzles/1").status_code == 404
        form = "/account" if who is ann else "/sign-in"
        assert send(who, PAGE, form, choice="0").status_code == 404
        assert "There are no puzzles of this game yet." in who.get("/play/puzzles").text
    assert send(ann, f"{PAGE}/hint", "/account").status_code == 404
    assert browser.get("/api/puzzles").get_json()["puzzles"] == []


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [(NotFound("gone"), 404, "no longer available"), (Unavailable("away"), 503, "is missing")],
)
def test_a_match_that_is_gone_is_an_error_in_a_sentence(
    browser: FlaskClient,
    match: StoredMatch,
    puzzle: StoredPuzzle,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: int,
    says: str,
) -> None:
    def get_match(*_: object) -> StoredMatch:
        raise error

    monkeypatch.setattr(matches, "get_match", get_match)
    for path in (PAGE, "/api/puzzles/1"):
        answer = browser.get(path)
        assert answer.status_code == status
        assert says in answer.text
        assert match.id not in answer.text
    assert browser.get("/play/puzzles").status_code == 200


def test_a_puzzle_whose_match_is_missing_here_is_not_offered(
    browser: FlaskClient,
    match: StoredMatch,
    sqlite_store: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone, found = store_puzzles(sqlite_store, match, 2)

    def position_of(puzzle: StoredPuzzle, **more: Any) -> Any:
        if puzzle.id == gone.id:
            raise Unavailable("away")
        return position.position_of(puzzle, **more)

    monkeypatch.setattr("dashboard.play.puzzles.view.position_of", position_of)
    for _ in range(5):
        assert f'href="/play/puzzles/{found.id}"' in browser.get("/play/puzzles").text


def test_a_guest_solves_without_a_rating(
    browser: FlaskClient, match: StoredMatch, puzzle: StoredPuzzle
) -> None:
    text = answers(browser, match, puzzle).text
    assert "Right!" in text
    assert "Without an account, answers are not rated." in text
    assert "61.2%" in text
    assert re.search(r"10\.0% <small>± 1\.2</small>", text)
    assert f"/matches/{match.id}/replay?move={puzzle.number}&amp;seat={puzzle.seat}" in text
    assert "Not the best" in answers(browser, match, puzzle, 1).text
    assert "What is best?" in browser.get(PAGE).text
    told = browser.get("/api/puzzles").get_json()["puzzles"]
    assert told == [{"id": 1, "game": "lama", "rating": 1500.0, "attempts": 0, "solved": 0}]


def test_an_account_has_one_rated_answer(
    ann: FlaskClient, match: StoredMatch, puzzle: StoredPuzzle
) -> None:
    text = answers(ann, match, puzzle, 1).text
    assert "Not the best" in text
    assert "This answer changed your rating by \u221232. It is 1468 now." in text
    again = send(ann, PAGE, "/account", choice=index_of(match, puzzle, 0))
    assert again.status_code == 303
    assert "Not the best" in ann.get(PAGE).text
    start = ann.get("/play/puzzles").text
    assert "<b>1468</b> after 1 rated answer, 0 right." in start
    assert "You have answered every puzzle of this game." in start


def test_an_answer_after_a_hint_is_not_rated(
    ann: FlaskClient, match: StoredMatch, puzzle: StoredPuzzle
) -> None:
    assert 'class="act struck"' not in ann.get(f"{PAGE}?hint=1").text
    assert send(ann, f"{PAGE}/hint", "/account").status_code == 303
    html = ann.get(PAGE).text
    assert html.count('class="act struck"') == len(puzzle.worse_half)
    assert "This answer is not rated." in html
    assert f'value="{index_of(match, puzzle, 0)}"' in html
    text = answers(ann, match, puzzle).text
    assert "Right!" in text
    assert "With a hint, an answer is not rated." in text
    assert "You start at 1500." in ann.get("/play/puzzles").text


def test_a_guest_gets_a_hint_without_being_remembered(
    browser: FlaskClient, match: StoredMatch, puzzle: StoredPuzzle
) -> None:
    asked = send(browser, f"{PAGE}/hint")
    assert asked.location == f"{PAGE}?hint=1#panel"
    assert 'class="act struck"' in browser.get(asked.location).text
    assert 'class="act struck"' not in browser.get(PAGE).text
    assert "With a hint" in answers(browser, match, puzzle, hinted="1").text


def test_the_answer_leads_to_the_next_puzzle(
    ann: FlaskClient, match: StoredMatch, sqlite_store: Store
) -> None:
    one, two = store_puzzles(sqlite_store, match, 2)
    assert re.search(rf'href="/play/puzzles/{two.id}">Next puzzle', answers(ann, match, one).text)
    assert "Next puzzle" not in answers(ann, match, two).text


@pytest.mark.parametrize("choice", ["", "99", "-1", "play 1", "\x00"])
def test_an_action_that_is_not_offered_is_refused(
    ann: FlaskClient, puzzle: StoredPuzzle, choice: str
) -> None:
    answer = send(ann, PAGE, "/account", choice=choice)
    assert answer.status_code == 400
    assert "That is not an action of this puzzle." in answer.text
    assert "What is best?" in answer.text


@pytest.mark.parametrize("game", ["party", "dice", "kadabra"])
def test_every_game_has_puzzles(browser: FlaskClient, sqlite_store: Store, game: str) -> None:
    match = some_matches(sqlite_store, game)[0]
    for puzzle in store_puzzles(sqlite_store, match, 12):
        assert browser.get(f"/play/puzzles/{puzzle.id}").status_code == 200
        assert "Right!" in answers(browser, match, puzzle).text
        assert browser.get(f"/api/puzzles/{puzzle.id}").status_code == 200
    assert "/play/puzzles/" in main_of(browser, f"/play/puzzles?game={game}")


def test_the_api_lists_puzzles_in_pages(
    browser: FlaskClient, match: StoredMatch, sqlite_store: Store
) -> None:
    store_puzzles(sqlite_store, match, 3)
    first = browser.get("/api/puzzles?limit=2").get_json()
    second = browser.get(f"/api/puzzles?limit=2&after={first['next']}").get_json()
    assert [each["id"] for each in (*first["puzzles"], *second["puzzles"])] == [1, 2, 3]
    assert second["next"] == ""
    assert browser.get("/api/puzzles?game=dice").get_json()["puzzles"] == []


def test_visitors_can_have_puzzles_made(browser: FlaskClient, sqlite_store: Store) -> None:
    page, found = "/play/puzzles?game=dice", some_matches(sqlite_store, "dice")
    assert "Make puzzles" not in browser.get("/play/puzzles?game=party").text  # has no matches
    assert "Make puzzles" in browser.get(page).text

    assert send(browser, "/play/puzzles", page, game="dice").status_code == 303

    with sqlite_store.write() as conn:
        tasks = [task for _ in found if (task := requests.take(conn, time.time()))]
        waiting = [task.match for task in tasks]
    assert len(set(waiting)) == 3
    assert set(waiting) <= {each.id for each in found}
    assert "3 reviews of this game are waiting." in browser.get(page).text
    assert "Make puzzles" not in browser.get(page).text


def test_matches_of_an_unfinished_tournament_are_not_reviewed_for_puzzles(
    browser: FlaskClient, match: StoredMatch, sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        assert len(puzzles.unreviewed(conn, match.game, 100)) > 1
        conn.execute(update(tournaments).values(state="running"))
        assert puzzles.unreviewed(conn, match.game, 100) == []
    assert "Make puzzles" not in browser.get("/play/puzzles").text


def test_pages_link_to_the_puzzles(browser: FlaskClient) -> None:
    assert 'href="/play/puzzles">Puzzles' in browser.get("/play").text
    assert 'href="/play/puzzles?game=lama">Puzzles' in browser.get("/play/daily").text

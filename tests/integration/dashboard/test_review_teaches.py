"""Contents of a review: the deciding cause, the situations, leaks, and the start time."""

import re

from flask.testing import FlaskClient

from arena.store import Store
from arena.store.matches.matches import StoredMatch
from arena.store.reviews import requests
from arena.value.review.model import by_seat
from tests.integration.dashboard.test_review_pages import (
    ask,
    make,
    match,
    page,
    told,
    with_a_blunder,
)
from tests.integration.reviewed import review_of, some_matches

__all__ = ["match"]  # a fixture


def test_it_begins_with_what_decided_the_match_and_says_what_seats_saw(
    browser: FlaskClient, match: StoredMatch, sqlite_store: Store
) -> None:
    ask(browser, match)
    (blunder,) = make(sqlite_store, match, with_a_blunder(match)).decisions
    html = page(browser, f"/matches/{match.id}/replay")
    found = told(browser, match)
    assert found["summary"].endswith(".")
    (decided,) = re.findall(r'<div class="decided"><p>(.*?)</p>', html)
    assert decided == found["summary"]
    assert html.index('class="decided"') < html.index('class="review-chart"')
    seen = blunder.situation
    assert seen is not None
    row = re.search(r'<table class="mistakes">.*?<tbody>(.*?)</tbody>', html, re.DOTALL)
    assert row is not None
    assert f'<td class="cards">{" ".join(seen.hand)}</td>' in row[1]
    assert f'<td class="cards">{seen.points_in_words(blunder.seat)}</td>' in row[1]
    assert f'<td class="cards">{seen.sizes_in_words(blunder.seat)}</td>' in row[1]
    assert found["decisions"][0]["situation"]["hand"] == list(seen.hand)
    worst = page(browser, f"/bots/{match.seats[blunder.seat].bot}/reviews")
    assert f'<td class="cards">{" ".join(seen.hand)}</td>' in worst


def test_a_bots_page_lists_its_leaks_with_what_house_bots_do(
    browser: FlaskClient, match: StoredMatch, sqlite_store: Store
) -> None:
    ask(browser, match)
    (blunder,) = with_a_blunder(match).decisions
    blunders = tuple([blunder._replace(number=blunder.number + turn) for turn in range(3)])
    review = with_a_blunder(match)._replace(decisions=blunders, seats=by_seat(blunders, 3))
    with sqlite_store.write() as conn:
        task = requests.take(conn, 9e9)
        assert task is not None
        others = {blunder.number: {"sharp": blunder.best, "student": blunder.chosen}}
        requests.finish(conn, task, review, 9e9, others=others)
    name = match.seats[blunder.seat].bot
    (leak,) = browser.get(f"/api/bots/{name}/reviews").get_json()["leaks"]
    assert (leak["times"], leak["matches"], leak["seats"]) == (3, 1, 3)
    assert (leak["lost"], leak["each"], leak["error"]) == (0.75, 0.25, 0.0058)
    assert leak["others"]["sharp"] == {"asked": 1, "same": 0, "better": 1}
    assert leak["others"]["student"] == {"asked": 1, "same": 1, "better": 0}
    html = page(browser, f"/bots/{name}/reviews")
    (table,) = re.findall(r'<table class="leaks">.*?</table>', html, re.DOTALL)
    assert f'<th scope="row">{leak["chosen"]}</th><td>{leak["best"]}</td>' in table
    assert "25.0%" in table
    assert re.findall(r'<td class="num">(100|0)%</td>', table) == ["100", "0"]
    assert f"/matches/{match.id}/replay?move={blunder.number}" in table


def test_a_review_that_waits_says_when_it_is_expected_to_start(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    first, second, third = some_matches(sqlite_store)
    ask(browser, first)
    with sqlite_store.write() as conn:
        task = requests.take(conn, 1000.0)
        assert task is not None
        requests.finish(conn, task, review_of(first), 1003.5)
    ask(browser, second)
    ask(browser, third)
    assert told(browser, second)["starts_s"] == 0
    assert (told(browser, third)["ahead"], told(browser, third)["starts_s"]) == (1, 3.5)
    html = page(browser, f"/matches/{third.id}/replay")
    assert "Waiting: 1 review before this one. It starts in about 4 s." in html
    assert told(browser, first)["starts_s"] is None

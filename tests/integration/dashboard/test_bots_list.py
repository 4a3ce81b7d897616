"""The list of bots comes in pages, however many bots there are."""

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from arena.store import Store
from arena.store.registry import bots
from arena.store.reports import leaderboard
from dashboard.bots.index import view
from tests.integration.api_world import browser_on, data
from tests.integration.played import register
from tests.made_results import entered, results, save

NAMES = ("Ada", "bob", "Cyd", "dot", "Eve")


@pytest.fixture
def browser(sqlite_store: Store, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """A browser on an arena with five bots, of which a page lists two."""
    monkeypatch.setattr(view, "PAGE", 2)
    register(sqlite_store, *NAMES)
    return browser_on(sqlite_store)


def test_the_pages_list_every_bot_once_by_name(browser: FlaskClient) -> None:
    pages, following = [], "/bots"
    while following:
        text = browser.get(following).text
        pages.append(_listed(text))
        following = _link(text, "Next")

    assert pages == [["Ada", "bob"], ["Cyd", "dot"], ["Eve"]]


def test_later_pages_lead_back_to_the_first_and_refresh_themselves(browser: FlaskClient) -> None:
    first, second = browser.get("/bots").text, browser.get("/bots?after=bob").text

    assert not _link(first, "First")
    assert _link(second, "First") == "/bots"
    assert 'hx-get="/bots/-/live?after=bob"' in second
    assert _listed(browser.get("/bots/-/live?after=bob").text) == ["Cyd", "dot"]


def test_after_the_last_bot_the_page_leads_back(browser: FlaskClient) -> None:
    text = browser.get("/bots?after=zzz").text

    assert "No more bots." in text
    assert "No bot is registered" not in text


def test_a_page_after_something_that_is_no_name_is_refused(browser: FlaskClient) -> None:
    assert browser.get("/bots?after=%3Cb%3E").status_code == 400


def test_the_api_reads_only_the_bots_of_its_page(
    browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("all bots were read")

    monkeypatch.setattr(bots, "all_bots", never)
    listed = data(browser, "/api/bots?limit=2&after=ada")

    assert [bot["name"] for bot in listed["bots"]] == ["bob", "Cyd"]
    assert data(browser, f"/api/bots?after={listed['next']}")["bots"][0]["name"] == "dot"


def test_rated_bots_can_be_listed_best_first(browser: FlaskClient, sqlite_store: Store) -> None:
    save(sqlite_store, results(entered(sqlite_store, ("Ada", "bob", "Cyd"), seats=2)))
    with sqlite_store.read() as conn:
        table = [line.bot for line in leaderboard.table(conn, "lama")]

    first = browser.get("/bots?sort=rating").text
    following = unescape(_link(first, "Next"))

    assert _listed(first) + _listed(browser.get(following).text) == table
    assert 'aria-sort="descending"' in first
    assert _link(browser.get(following).text, "First") == "/bots?sort=rating"


def test_a_wrong_page_of_the_bots_by_rating_is_named(browser: FlaskClient) -> None:
    refused = browser.get("/bots?sort=rating&after=-5")

    assert refused.status_code == 400
    assert "“-5” is not a valid after" in refused.text.replace("&#34;-5&#34;", "“-5”")


def _listed(text: str) -> list[str]:
    return re.findall(r'<th scope="row">.*?href="/bots/(\w+)"', text)


def _link(text: str, word: str) -> str:
    found = re.search(rf'<a href="([^"]+)">{word}</a>', text)
    return found[1] if found else ""

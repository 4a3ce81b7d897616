"""Shared parts of all pages: search, the theme, links to JSON, and outage messages."""

import re

import pytest
import redis
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.store import Store
from arena.store.registry import accounts, profiles
from arena.store.registry.profiles import AuthorProfile
from arena.store.reports.search import search
from dashboard import create_app
from dashboard.search import view
from tests.integration.dashboard.test_dashboard_bot import statements
from tests.integration.played import play, register
from tests.servers import no_redis


@pytest.fixture
def browser(sqlite_store: Store) -> FlaskClient:
    register(sqlite_store, "ada", "bob", "x_y")
    play(sqlite_store, "ada", "bob")
    return create_app(Settings(), sqlite_store, None).test_client()


def hits(browser: FlaskClient, wanted: str) -> list[tuple[str, str]]:
    answer = browser.get("/api/search", query_string={"q": wanted})
    assert answer.status_code == 200, answer.text
    return [(hit["kind"], hit["address"]) for hit in answer.get_json()["hits"]]


# Search


def test_bots_are_found_by_a_part_of_their_name_in_any_case(browser: FlaskClient) -> None:
    assert hits(browser, "AD") == [("bot", "/bots/ada")]
    assert hits(browser, "  bob ") == [("bot", "/bots/bob")]


def test_wildcards_in_a_query_are_literal(browser: FlaskClient) -> None:
    assert hits(browser, "%") == []
    assert hits(browser, "_") == [("bot", "/bots/x_y")]


def test_tournaments_are_found_by_name_and_number(browser: FlaskClient) -> None:
    found = ("tournament", "/tournaments/1")

    assert found in hits(browser, "round-robin")
    assert hits(browser, "1") == hits(browser, "#1") == [found]
    assert hits(browser, "99") == hits(browser, "9" * 30) == []


def test_a_match_is_found_by_the_beginning_of_its_id(browser: FlaskClient) -> None:
    match = browser.get("/api/matches").get_json()["matches"][0]["id"]

    for part in (match, match[:6]):
        assert ("match", f"/matches/{match}") in hits(browser, part)
    assert hits(browser, match[:2] + "~") == []


def test_matches_are_looked_up_in_the_index(browser: FlaskClient, sqlite_store: Store) -> None:
    # Not in a million rows, one after the other.
    with statements(sqlite_store) as sent, sqlite_store.read() as conn:
        search(conn, "abcd")
        assert search(conn, "") == []

    (statement, values) = next(each for each in sent if "FROM matches" in each[0])
    with sqlite_store.read() as conn:
        plan = [
            row.detail for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
        ]
    assert any(re.search(r"SEARCH matches .*\(id>\? AND id<\?\)", step) for step in plan), plan


def test_the_page_shows_what_was_found_and_leads_on_where_nothing_was(
    browser: FlaskClient,
) -> None:
    found = browser.get("/search?q=ada").text
    nothing = browser.get("/search", query_string={"q": '<script>"x"'}).text

    assert 'href="/bots/ada"' in found
    assert "Nothing found" in nothing
    assert "<script>&" not in nothing
    assert '<script>"x"' not in nothing
    assert 'href="/bots"' in nothing


def test_suggestions_are_few_escaped_and_cached_by_the_browser(sqlite_store: Store) -> None:
    names = [f"bot-{number}" for number in range(view.SUGGESTED + 2)]
    register(sqlite_store, *names)
    browser = create_app(Settings(), sqlite_store, None).test_client()

    answer = browser.get("/search/parts?q=BOT")

    found = re.findall(r'<li role="option" id="suggestion-\d" data-address="([^"]+)"', answer.text)
    assert found == [f"/bots/{name}" for name in names[: view.SUGGESTED]]
    assert answer.cache_control.max_age == view.LASTS_S
    assert "<li" not in browser.get("/search/parts?q=%20").text
    assert "<li" not in browser.get("/search/parts", query_string={"q": "<b>"}).text


def test_only_authors_who_asked_for_a_public_page_are_found(sqlite_store: Store) -> None:
    with sqlite_store.write() as conn:
        for name in ("nora", "norman"):
            account = accounts.sign_up(conn, name, "hash")
            if name == "nora":
                profiles.publish(conn, account, AuthorProfile("Counts cards."))
    browser = create_app(Settings(), sqlite_store, None).test_client()

    (hit,) = browser.get("/api/search?q=nor").get_json()["hits"]

    assert hit == {
        "kind": "author", "name": "nora", "key": "nora", "about": "Counts cards.",
        "address": "/authors/nora",
    }  # fmt: skip
    assert 'href="/authors/nora"' in browser.get("/search?q=NOR").text


def test_search_is_rate_limited(sqlite_store: Store) -> None:
    browser = create_app(Settings(people_per_address=1), sqlite_store, None).test_client()
    many = int(view.OFTEN.split()[0])
    statuses = {browser.get("/search?q=zz").status_code for _ in range(many)}

    assert statuses == {200}
    assert browser.get("/search?q=zz").status_code == 429
    assert browser.get("/bots").status_code == 200


# The theme


def test_a_chosen_theme_is_in_the_page_from_the_start(browser: FlaskClient) -> None:
    before = browser.get("/bots").text

    answer = browser.post(
        "/theme", data={"theme": "dark"}, headers={"Referer": "http://localhost/bots?x=1"}
    )
    after = browser.get("/bots").text

    assert (answer.status_code, answer.location) == (303, "/bots?x=1")
    assert "data-theme" not in before
    assert '<html lang="en" data-theme="dark">' in after
    assert '<meta name="color-scheme" content="dark">' in after
    assert '<button name="theme" value="dark" aria-pressed="true">' in after


def test_a_theme_leads_nowhere_else_and_is_one_of_those_there_are(browser: FlaskClient) -> None:
    for elsewhere in ("http://evil.example//evil.example/x", "javascript:alert(1)", ""):
        answer = browser.post("/theme", data={"theme": "light"}, headers={"Referer": elsewhere})
        assert answer.location == "/"
    assert browser.post("/theme", data={"theme": '"><script>'}).status_code == 400
    browser.set_cookie("arena_theme", '"><script>')
    assert "data-theme" not in browser.get("/bots").text


# The same as JSON


@pytest.mark.parametrize(
    ("page", "as_json"),
    [
        ("/", "/api/overview"),
        ("/status", "/api/health"),
        ("/bots", "/api/bots"),
        ("/bots/ada", "/api/bots/ada"),
        ("/tournaments/1", "/api/tournaments/1"),
        ("/tournaments/1/crosstable", "/api/tournaments/1/crosstable"),
        ("/search?q=ada", "/api/search?q=ada"),
        ("/ratings?seats=2&sort=bot&strange=1", "/api/ratings?seats=2&sort=bot"),
    ],
)
def test_this_page_as_json_is_this_page(browser: FlaskClient, page: str, as_json: str) -> None:
    text = browser.get(page).text

    (address,) = re.findall(r'<a href="([^"]+)">This page as JSON', text)

    assert address.replace("&amp;", "&") == as_json
    assert browser.get(as_json).is_json


def test_a_page_that_is_nothing_but_words_has_no_json(browser: FlaskClient) -> None:
    for path in ("/sign-in", "/rules", "/no/such/page"):
        assert "This page as JSON" not in browser.get(path).text


@pytest.mark.parametrize(
    ("page", "first"),
    [
        ("/bots", "name"),
        ("/tournaments", "id"),
        ("/tournaments/1", "rank"),
        ("/ratings?seats=2&sort=bot&strange=1", "rank"),
        ("/ratings/pairs?game=lama&show=stronger", "other"),
        ("/matches?bot=ada", "id"),
    ],
)
def test_below_each_table_is_the_same_as_csv(browser: FlaskClient, page: str, first: str) -> None:
    text = browser.get(page).text

    (address,) = re.findall(r'<a href="([^"]+)">Download as CSV', text)
    answer = browser.get(address.replace("&amp;", "&"))

    assert answer.mimetype == "text/csv"
    assert answer.text.split(",")[0] == first


# Outages


def test_without_redis_every_page_says_what_is_missing(sqlite_store: Store) -> None:
    away = create_app(Settings(), sqlite_store, no_redis()).test_client()

    for path in ("/", "/bots", "/rules", "/sign-in", "/no/such/page"):
        assert "Live data is unavailable" in away.get(path).text, path


def test_with_redis_nothing_is_said(sqlite_store: Store, redis_client: redis.Redis) -> None:
    here = create_app(Settings(), sqlite_store, redis_client).test_client()

    text = here.get("/bots").text

    assert "Live data is unavailable" not in text
    assert re.search(r'<div id="outage"[^>]* hidden>', text)


# For who shares a page


def test_every_page_says_what_it_is_to_who_shares_it(browser: FlaskClient) -> None:
    for path in ("/", "/bots/ada", "/tournaments/1", "/rules"):
        text = browser.get(path).text
        for name in ('name="description"', 'property="og:title"', 'property="og:description"'):
            assert re.search(rf'<meta {name} content="[^"]+">', text), (path, name)
        assert f'<meta property="og:url" content="http://localhost{path}">' in text

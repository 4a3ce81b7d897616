"""Pages for frames on other sites."""

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.store import Store
from arena.store.matches import matches
from dashboard import create_app
from tests.integration.played import play, register

NAMES = ("ada", "bob", "cyd")


@pytest.fixture
def browser(sqlite_store: Store) -> FlaskClient:
    register(sqlite_store, *NAMES)
    return create_app(Settings(), sqlite_store, None).test_client()


def newest(store: Store) -> str:
    with store.read() as conn:
        return matches.list_matches(conn)[0][0].id


def offered(browser: FlaskClient, page: str) -> str:
    """The address in the line that a page offers to copy."""
    (line,) = re.findall("<code>(&lt;iframe.*?)</code>", browser.get(page).text)
    (address,) = re.findall('src="http://localhost([^"]+)"', unescape(line))
    assert isinstance(address, str)
    return address


def test_a_replay_and_a_table_offer_a_frame_that_other_sites_may_show(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    play(sqlite_store, *NAMES)
    match = newest(sqlite_store)

    for page in (f"/matches/{match}/replay", "/tournaments/1/watch"):
        answer = browser.get(offered(browser, page))
        policy = answer.headers["Content-Security-Policy"]
        assert answer.status_code == 200
        assert policy.endswith("form-action 'none'; frame-ancestors *")
        assert "default-src 'none'; script-src 'self'" in policy
        assert 'class="board seats-2 of-lama"' in answer.text
        assert f'href="{page}"' in answer.text, "the whole page is one press away"


def test_nothing_in_a_frame_can_be_sent_and_links_open_pages_of_their_own(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    play(sqlite_store, *NAMES)
    answer = browser.get(f"/embed/matches/{newest(sqlite_store)}")

    assert "<form" not in answer.text
    assert "Set-Cookie" not in answer.headers
    assert '<base target="_blank">' in answer.text


def test_a_locked_match_stays_closed_in_a_frame(browser: FlaskClient, sqlite_store: Store) -> None:
    play(sqlite_store, *NAMES, only=1)
    html = browser.get(f"/embed/matches/{newest(sqlite_store)}").text

    assert "sealed until every match of its deal is played" in html
    assert "data-frames" not in html
    assert "card-" not in html


def test_a_table_of_people_is_not_to_be_watched_in_a_frame(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    table = play(sqlite_store, *NAMES, kind="table")

    assert browser.get(f"/embed/tournaments/{table.id}").status_code == 404
    assert browser.get("/embed/matches/none").status_code == 404


@pytest.mark.parametrize("page", ["/", "/tournaments/1", "/tournaments/1/watch", "/sign-in"])
def test_no_other_page_may_be_framed(browser: FlaskClient, sqlite_store: Store, page: str) -> None:
    play(sqlite_store, *NAMES)
    policy = browser.get(page).headers["Content-Security-Policy"]

    assert policy.endswith("form-action 'self'; frame-ancestors 'none'")


def test_a_rating_table_offers_a_frame_with_the_same_table(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    play(sqlite_store, *NAMES, seats=3)
    address = offered(browser, "/ratings?game=lama&seats=3")
    answer = browser.get(address)

    assert answer.status_code == 200
    assert "L.A.M.A. ratings, 3 seats" in answer.text
    assert answer.headers["Content-Security-Policy"].endswith("frame-ancestors *")
    assert 'href="/ratings?game=lama&amp;seats=3"' in answer.text
    names = re.findall(r'<th scope="row">.*?>(ada|bob|cyd)<', answer.text, re.DOTALL)
    told = browser.get("/api/ratings?game=lama&seats=3").get_json()["ratings"]
    assert names == [line["bot"] for line in told]
    assert "<form" not in answer.text


def test_a_rating_table_without_ratings_says_so_in_a_frame(browser: FlaskClient) -> None:
    assert "No rated matches yet." in browser.get("/embed/ratings").text
    assert browser.get("/embed/ratings?game=chess").status_code == 400

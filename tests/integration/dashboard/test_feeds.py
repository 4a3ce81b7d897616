"""Feeds, as a feed reader sees them."""

import xml.etree.ElementTree as ET
from datetime import datetime

import pytest
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.store import Store
from arena.store.matches import matches
from arena.store.registry import bots
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from dashboard import create_app
from dashboard.feeds.view import MOST, FeedEntry, document, listed
from tests.integration.conftest import NAMES
from tests.integration.played import play, register
from tests.made_results import entered

ATOM = "{http://www.w3.org/2005/Atom}"


def texts(feed: bytes, name: str) -> list[str]:
    """The texts of an element in each entry."""
    return [entry.findtext(ATOM + name) or "" for entry in ET.fromstring(feed).iter(ATOM + "entry")]


def fetched(browser: FlaskClient, path: str) -> bytes:
    answer = browser.get(path)
    assert (answer.status_code, answer.mimetype) == (200, "application/atom+xml")
    return answer.get_data()


def test_the_site_tells_of_new_bots_and_of_tournaments_newest_first(
    browser: FlaskClient, finished: Tournament
) -> None:
    feed = fetched(browser, "/feed")

    titles = texts(feed, "title")
    assert {f"{name} joined" for name in NAMES} < set(titles)
    assert f"{finished.spec.name} has started" in titles
    assert any(title.endswith(f" won {finished.spec.name}") for title in titles)
    assert texts(feed, "updated") == sorted(texts(feed, "updated"), reverse=True)
    assert len(set(texts(feed, "id"))) == len(titles)


def test_a_start_is_told_even_if_many_tournaments_were_created_later(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    first, *later = (entered(sqlite_store, name=f"Cup {n}") for n in range(MOST + 1))
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, later[0].id, "running", now=2000.0)
        tournaments.set_state(conn, first.id, "running", now=3000.0)

    titles = texts(fetched(browser, "/feed"), "title")

    assert [title for title in titles if "joined" not in title] == [
        "Cup 0 has started",
        "Cup 1 has started",
    ]


def test_a_result_has_the_same_id_in_each_feed_that_tells_it(
    browser: FlaskClient, finished: Tournament
) -> None:
    (result,) = texts(fetched(browser, "/tournaments/feed"), "id")

    assert result.startswith("urn:uuid:")
    assert result in texts(fetched(browser, "/feed"), "id")


def test_a_running_tournament_has_no_result_yet(browser: FlaskClient, sqlite_store: Store) -> None:
    register(sqlite_store, *NAMES)
    play(sqlite_store, *NAMES, only=1)

    assert texts(fetched(browser, "/tournaments/feed"), "title") == []


def test_a_bots_matches_say_how_they_did_and_lead_to_the_score_sheet(
    browser: FlaskClient, finished: Tournament, sqlite_store: Store
) -> None:
    with sqlite_store.read() as conn:
        newest, *_ = rows = matches.list_matches(conn, bot="ada")[0]
    feed = fetched(browser, "/bots/ada/feed")

    (other,) = [seat.bot for seat in newest.seats if seat.bot != "ada"]
    assert len(texts(feed, "title")) == len(rows)
    assert f" against {other}" in texts(feed, "title")[0]
    assert browser.get(f"/matches/{newest.id}").status_code == 200
    assert f"http://localhost/matches/{newest.id}".encode() in feed


def test_a_feed_is_cached_for_everybody_and_sent_once(
    sqlite_store: Store, finished: Tournament
) -> None:
    settings = Settings(public_url="https://arena.example")
    browser = create_app(settings, sqlite_store, None).test_client()
    first = browser.get("/feed")
    again = browser.get("/feed", headers={"If-None-Match": first.headers["ETag"]})

    assert first.headers["Cache-Control"] == "public, max-age=60"
    assert again.status_code == 304


def test_no_bot_has_no_feed(browser: FlaskClient) -> None:
    assert browser.get("/bots/nobody/feed").status_code == 404


def test_without_matches_the_feed_of_a_bot_is_as_old_as_the_bot(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    register(sqlite_store, "ada")
    with sqlite_store.read() as conn:
        created = bots.public(conn, "ada").created

    feed = ET.fromstring(fetched(browser, "/bots/ada/feed"))

    updated = datetime.fromisoformat(feed.findtext(ATOM + "updated") or "")
    assert updated.timestamp() == int(created)


@pytest.mark.parametrize(
    ("page", "first"),
    [
        ("/", "/feed"),
        ("/tournaments", "/tournaments/feed"),
        ("/tournaments/1", "/tournaments/feed"),
        ("/bots/ada", "/bots/ada/feed"),
    ],
)
def test_readers_find_the_feed_in_the_page(
    browser: FlaskClient, finished: Tournament, page: str, first: str
) -> None:
    html = browser.get(page).text

    assert 'rel="alternate" type="application/atom+xml"' in html
    assert f'href="{first}" title="' in html, "a link at the foot of the page"


def test_whatever_a_name_has_in_it_the_feed_is_well_formed() -> None:
    entry = FeedEntry("x", 'a<b>&"\x00\x1b', "\ud800 ]]>", "http://arena/?a=1&b=2", 0.0)

    feed = document("<t>", "http://arena/feed", "http://arena/", [entry])

    assert texts(feed, "title") == ['a<b>&"\ufffd\ufffd']
    assert texts(feed, "summary") == ["\ufffd ]]>"]


def test_long_lists_of_names_are_shortened() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed("abcdefg") == "a, b, c, d and 3 more"

"""Descriptions of bots and authors: shown as text, limited, and removable."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.base.errors import InvalidRequest
from arena.store import Store
from arena.store.registry import audit_log, profiles
from arena.store.registry.profiles import BotProfile
from dashboard import create_app
from tests.integration.people import bot_of, csrf, person
from tests.integration.played import play, register

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def app(sqlite_store: Store) -> Flask:
    return create_app(Settings(), sqlite_store, None)


@pytest.fixture
def ada(app: Flask, sqlite_store: Store) -> FlaskClient:
    """Signed in, with a bot."""
    browser = person(app, sqlite_store, "ada")
    bot_of(sqlite_store, "ada", "hers")
    return browser


def describe(browser: FlaskClient, **said: str) -> tuple[int, str]:
    token = csrf(browser)
    answer = browser.post("/my/bots/hers/description", data={"csrf_token": token, **said})
    return answer.status_code, answer.text


def publish(browser: FlaskClient, **said: str) -> int:
    token = csrf(browser)
    return browser.post("/account/public", data={"csrf_token": token, **said}).status_code


def test_description_of_a_bot_is_shown_as_text(app: Flask, ada: FlaskClient) -> None:
    said = {"description": f"Counts\ncards. {SCRIPT}", "language": "Rust"}
    status, _ = describe(ada, link="https://example.org/hers?a=1&b=2", **said)

    shown = app.test_client().get("/bots/hers").text

    assert status == 303
    assert "Counts cards. &lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert SCRIPT not in shown
    assert "written in Rust" in shown
    assert (
        '<a href="https://example.org/hers?a=1&amp;b=2" rel="nofollow ugc noopener noreferrer">'
        "example.org</a>" in shown
    )


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)//example.org",
        "data:text/html,x",
        "https://user:pass@example.org/",
        "https://example.org@evil.org/",
        "https://localhost/",
        "//example.org",
        "https://example.org/ two",
        "https://ex\u0430mple.org/",
        "https://example.org:99999/",
        "https://example.org/" + "x" * 200,
        "https://[::1",
    ],
)
def test_a_link_leads_to_the_web_and_nowhere_else(app: Flask, ada: FlaskClient, link: str) -> None:
    status, text = describe(ada, link=link)

    assert status == 400
    assert "is not a link to a web page. Give one like" in text
    assert "nofollow" not in app.test_client().get("/bots/hers").text


def test_a_description_has_a_limit_and_nothing_that_hides(ada: FlaskClient) -> None:
    assert describe(ada, description="x" * 301)[0] == 400
    assert describe(ada, language="Klingon")[0] == 400
    assert BotProfile("a\u202eb\u0000c \n d").checked().description == "a b c d"
    with pytest.raises(InvalidRequest, match="It has 301 characters; 300 are allowed"):
        BotProfile("x" * 301).checked()


def test_an_author_has_a_public_page_only_as_long_as_they_want_one(
    app: Flask, ada: FlaskClient
) -> None:
    anybody = app.test_client()
    before = anybody.get("/authors/ada").status_code, anybody.get("/bots/hers").text

    assert publish(ada, public="yes", about="I like llamas.") == 303
    page, bot = anybody.get("/authors/ada"), anybody.get("/bots/hers").text
    assert publish(ada, about="I like llamas.") == 303
    after = anybody.get("/authors/ada").status_code, anybody.get("/bots/hers").text

    assert before[0] == after[0] == 404
    assert ">ada<" not in before[1]
    assert "/authors/" not in after[1]
    assert page.status_code == 200
    assert "I like llamas." in page.text
    assert "/bots/hers" in page.text
    assert '<a href="/authors/ada">ada</a>' in bot
    assert anybody.get("/authors/nobody").status_code == 404


def test_an_authors_page_is_there_as_json_as_long_as_they_want_one(
    app: Flask, ada: FlaskClient, sqlite_store: Store
) -> None:
    anybody = app.test_client()
    before = anybody.get("/api/authors/ada").status_code
    register(sqlite_store, "bob")
    play(sqlite_store, "hers", "bob", deals=2)
    describe(ada, description="Counts the llamas.", language="Python")
    publish(ada, public="yes", about="I like llamas.", link="https://llamas.example/me")

    found = anybody.get("/api/authors/ada").get_json()
    page = anybody.get("/authors/ada").text
    publish(ada)

    assert before == anybody.get("/api/authors/ada").status_code == 404
    assert (found["name"], found["about"]) == ("ada", "I like llamas.")
    assert found["link"] == "https://llamas.example/me"
    (bot,) = found["bots"]
    said = bot["name"], bot["description"], bot["language"]
    assert said == ("hers", "Counts the llamas.", "Python")
    (place,) = bot["ratings"]
    assert (place["game"], place["seats"], place["matches"]) == ("lama", 0, 4)
    (row,) = [
        each
        for each in anybody.get("/api/ratings?game=lama").get_json()["ratings"]
        if each["bot"] == "hers"
    ]
    assert (place["rank"], place["rating"]) == (row["rank"], row["rating"])
    assert set(found) == {"name", "created", "about", "link", "bots"}
    assert '<a href="/api/authors/ada">This page as JSON' in page


def test_an_organiser_removes_what_strangers_wrote_and_the_audit_log_says_so(
    app: Flask, ada: FlaskClient, sqlite_store: Store
) -> None:
    describe(ada, description="Buy my pills", link="https://pills.example")
    publish(ada, public="yes", about="Pills!")
    olga = person(app, sqlite_store, "olga", organiser=True)
    assert "Remove the description" in olga.get("/bots/hers").text
    assert "Remove this page" in olga.get("/authors/ada").text
    token = csrf(olga)

    olga.post("/bots/hers/description/remove", data={"csrf_token": token})
    olga.post("/authors/ada/remove", data={"csrf_token": token})

    anybody = app.test_client()
    assert "pills" not in anybody.get("/bots/hers").text
    assert anybody.get("/authors/ada").status_code == 404
    with sqlite_store.read() as conn:
        noted = [(each.who, each.action, each.subject) for each in audit_log.entries(conn, 20)]
        assert profiles.of_author(conn, 1) is None
    assert ("olga", "removed the description", "bot hers") in noted
    assert ("olga", "removed the public page", "account ada") in noted


def test_a_bot_leads_with_rank_rating_and_how_it_did_lately(
    app: Flask, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob")
    play(sqlite_store, "ann", "bob", deals=20)

    shown = app.test_client().get("/bots/ann").text
    head = shown[: shown.index("</header>", shown.index("portrait"))]

    assert "<b>#" in head
    assert "of 2" in head
    assert "rating ± 95%" in head
    assert "latest tournament matches won" in head
    assert "Best wins" in shown

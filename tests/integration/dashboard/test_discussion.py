"""The discussion of a tournament: rights, limits, and what is shown."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.store import Store
from arena.store.registry import accounts, audit_log
from arena.store.reports.own_data import own_data
from arena.store.tournaments import creation, discussion
from arena.store.tournaments.departure import delete_account
from arena.tournaments.formats import TournamentSpec, check_spec
from tests.integration.people import person, send
from tests.integration.played import register

PAGE = "/tournaments/1/discussion"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def ada(app: Flask, sqlite_store: Store) -> FlaskClient:
    """An author, beside a tournament (1) and a test match (2)."""
    register(sqlite_store, "ann", "bob")
    spec = check_spec(TournamentSpec(bots=("ann", "bob"), seats=2, matches=2))
    with sqlite_store.write() as conn:
        creation.create(conn, spec)
        creation.create(conn, spec, kind="test")
    return person(app, sqlite_store, "ada")


def writes(browser: FlaskClient, text: str, **fields: str) -> TestResponse:
    return send(browser, PAGE, PAGE, text=text, **fields)


def deletes(browser: FlaskClient, number: int) -> TestResponse:
    return send(browser, f"{PAGE}/{number}/delete", PAGE)


def test_everyone_reads_what_accounts_write(app: Flask, ada: FlaskClient) -> None:
    assert writes(ada, f"  {SCRIPT}\r\n\r\n\r\n\r\nsecond\u202e \x00 line ").status_code == 303
    page = app.test_client().get(PAGE).text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\n\nsecond line</bdi>" in page
    assert "Sign in" in page
    assert "Your post" not in page
    assert app.test_client().post(PAGE, data={"text": "x"}).status_code in (303, 400)
    assert "No posts yet." not in page


def test_only_organisers_announce(app: Flask, ada: FlaskClient, sqlite_store: Store) -> None:
    olga = person(app, sqlite_store, "olga", organiser=True)
    writes(ada, "I announce.", announcement="yes")
    assert "I announce." not in ada.get("/tournaments/1").text
    writes(olga, "It starts late.", announcement="yes")
    assert "It starts late." in ada.get("/tournaments/1").text
    assert "It starts late." in ada.get(PAGE).text


def test_authors_delete_their_posts_and_organisers_any(
    app: Flask, ada: FlaskClient, sqlite_store: Store
) -> None:
    olga = person(app, sqlite_store, "olga", organiser=True)
    for browser, text in ((olga, "mine"), (ada, "hers"), (ada, "rude")):
        writes(browser, text)
    assert deletes(ada, 1).status_code == 403
    assert deletes(ada, 2).status_code == 303
    assert deletes(olga, 3).status_code == 303
    assert deletes(olga, 3).status_code == 404
    assert send(olga, "/tournaments/2/discussion/1/delete", PAGE).status_code == 404
    assert re.findall(r'post-text"><bdi>(\w+)', ada.get(PAGE).text) == ["mine"]
    with sqlite_store.read() as conn:
        entry, *_ = audit_log.entries(conn, 1)
    assert (entry.action, entry.details) == ("deleted", "rude")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (" \n \t", "The post is empty."),
        ("x" * 1_001, "It has 1,001 characters in 1 line"),
        ("x\n" * 21, "in 21 lines"),
    ],
)
def test_empty_and_long_posts_are_refused_and_kept_in_the_form(
    ada: FlaskClient, text: str, why: str
) -> None:
    answer = writes(ada, text)
    assert answer.status_code == 400
    assert why in answer.text
    assert text.strip()[:50] in answer.text


def test_posts_are_limited_but_not_those_of_organisers(
    app: Flask, ada: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    olga = person(app, sqlite_store, "olga", organiser=True)
    monkeypatch.setattr(discussion, "MOST_A_DAY", 1)
    assert [writes(ada, "x").status_code for _ in range(2)] == [303, 409]
    assert "posts in 24 hours" in writes(ada, "x").text
    monkeypatch.setattr(discussion, "MOST", 1)
    bea = person(app, sqlite_store, "bea")
    assert "the maximum" in writes(bea, "x").text
    assert [writes(olga, "x").status_code for _ in range(2)] == [303, 303]


def test_long_discussions_have_pages(ada: FlaskClient, sqlite_store: Store) -> None:
    with sqlite_store.write() as conn:
        author = accounts.by_name(conn, "ada")
        for number in range(40):
            discussion.write(conn, 1, author, f"post-{number}", 1e9 - 86_400 * (40 - number))
    first = ada.get(PAGE).text
    assert "post-39" in first
    assert "post-9<" not in first
    (older,) = re.findall(r'href="([^"]*before=\d+)"', first)
    second = ada.get(older).text
    assert "post-9<" in second
    assert "post-39" not in second
    assert "Older posts" not in second


def test_tests_and_casual_games_have_none(ada: FlaskClient) -> None:
    assert ada.get("/tournaments/2/discussion").status_code == 404
    assert send(ada, "/tournaments/2/discussion", PAGE, text="x").status_code == 404


def test_an_account_takes_its_posts_along(ada: FlaskClient, sqlite_store: Store) -> None:
    writes(ada, "hello")
    with sqlite_store.write() as conn:
        account = accounts.by_name(conn, "ada")
        (post,) = own_data(conn, account)["posts"]
        assert (post["tournament"], post["text"]) == (1, "hello")
        delete_account(conn, account.id, 1e9)
        assert discussion.count(conn, 1) == 0

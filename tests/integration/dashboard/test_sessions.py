"""Signing in and out on the dashboard as records that can be ended."""

import re
import time

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select, update

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.store import Store
from arena.store.registry import accounts, sessions
from arena.store.tables import sessions as session_rows
from dashboard import create_app
from dashboard.account import browsers
from tests.integration.people import HASHED, PASSWORD, person, send

COOKIE = "arena_session"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"
)
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0"
)


@pytest.fixture
def app(sqlite_store: Store) -> Flask:
    return create_app(Settings(secret_key="a key"), sqlite_store, None)


@pytest.fixture
def ada(app: Flask, sqlite_store: Store) -> FlaskClient:
    return person(app, sqlite_store, "ada")


def another(app: Flask, agent: str = FIREFOX) -> FlaskClient:
    """One more browser in which ada signs in."""
    browser = app.test_client()
    browser.environ_base["HTTP_USER_AGENT"] = agent
    assert send(browser, "/sign-in", name="ada", password=PASSWORD).status_code == 303
    return browser


def copy_of(browser: FlaskClient) -> FlaskClient:
    """Unknown browser with a copy of the session's cookie."""
    cookie = browser.get_cookie(COOKIE)
    assert cookie is not None
    made = browser.application.test_client()
    made.set_cookie(COOKIE, cookie.value)
    return made


def is_in(browser: FlaskClient) -> bool:
    return browser.get("/account").status_code == 200


def test_after_signing_out_a_copied_cookie_opens_nothing(ada: FlaskClient) -> None:
    copied = copy_of(ada)
    assert is_in(copied)

    send(ada, "/sign-out", "/sign-in")

    assert not is_in(copied)
    assert copied.get("/account").location == "/sign-in?next=/account"


def test_signing_out_leaves_other_browsers_signed_in(app: Flask, ada: FlaskClient) -> None:
    elsewhere = another(app)

    send(ada, "/sign-out", "/sign-in")

    assert not is_in(ada)
    assert is_in(elsewhere)


def test_signing_out_everywhere_ends_every_session_of_the_account(
    app: Flask, ada: FlaskClient, sqlite_store: Store
) -> None:
    bob, elsewhere = person(app, sqlite_store, "bob"), another(app)
    copied = copy_of(elsewhere)

    answer = send(ada, "/account/sign-out-everywhere", "/account")

    assert (answer.status_code, answer.location) == (303, "/sign-in")
    assert [is_in(browser) for browser in (ada, elsewhere, copied, bob)] == [False] * 3 + [True]


def test_a_new_password_ends_every_session_but_this_ones_which_is_another_one(
    app: Flask, ada: FlaskClient
) -> None:
    elsewhere, copied = another(app), copy_of(ada)

    send(ada, "/account/password", "/account", old=PASSWORD, new="another horse battery")

    assert is_in(ada)
    assert not is_in(elsewhere)
    assert not is_in(copied)


def test_signing_in_again_ends_the_session_before(
    app: Flask, ada: FlaskClient, sqlite_store: Store
) -> None:
    copied = copy_of(ada)

    send(ada, "/sign-in", name="ada", password=PASSWORD)

    assert is_in(ada)
    assert not is_in(copied)
    with sqlite_store.read() as conn:
        assert conn.scalar(select(func.count()).select_from(session_rows)) == 1


def test_a_session_that_has_expired_opens_nothing(ada: FlaskClient, sqlite_store: Store) -> None:
    with sqlite_store.write() as conn:
        conn.execute(update(session_rows).values(expires=time.time() - 1))

    assert not is_in(ada)


@pytest.mark.usefixtures("ada")
def test_session_is_open_at_dashboards_with_another_clock(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = time.time
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(time, "time", lambda: real() + 30)
        signed_there = another(app)
    assert signed_there.get("/account").status_code == 200


def test_a_cookie_of_another_form_opens_nothing_and_breaks_nothing(app: Flask) -> None:
    browser = app.test_client()
    with browser.session_transaction() as cookie:
        cookie["_user_id"] = "1 0123456789abcdef"

    assert browser.get("/").status_code == 200
    assert not is_in(browser)


def test_sign_in_during_a_password_change_is_refused(
    app: Flask, ada: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def right_until_just_now(password: str, stored: str | None) -> bool:
        with sqlite_store.write() as conn:
            accounts.set_password(conn, "ada", HASHED + "x")
        return True

    monkeypatch.setattr("dashboard.account.view.passwords.is_right", right_until_just_now)
    browser = app.test_client()

    answer = send(browser, "/sign-in", name="ada", password=PASSWORD)

    assert answer.status_code == 400
    assert "The password has just been changed" in answer.text
    assert not is_in(browser)


def test_the_account_says_where_one_is_signed_in(app: Flask, ada: FlaskClient) -> None:
    alone = ada.get("/account").text
    assert "Sign out everywhere" not in alone
    another(app, FIREFOX)
    another(app, SAFARI)

    places = re.findall(
        r"<li><strong>([^<]+)</strong>( <span class=\"tag good\">)?", ada.get("/account").text
    )

    assert places[0][0] == "Safari on iPhone"
    assert places[1][0] == "Firefox on Linux"
    assert [bool(tag) for _, tag in places] == [False, False, True]
    assert "Sign out everywhere" in ada.get("/account").text


def test_a_session_is_seen_again_after_a_while_and_pages_show_where_it_cannot_be_stored(
    ada: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_ago = time.time() - 3600
    with sqlite_store.write() as conn:
        conn.execute(update(session_rows).values(seen=long_ago))

    def full(*_: object) -> None:
        raise Unavailable("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(sessions, "touch", full)
        assert is_in(ada)
    assert is_in(ada)

    with sqlite_store.read() as conn:
        assert (conn.scalar(select(session_rows.c.seen)) or 0) > long_ago + 3000


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (SAFARI, "Safari on iPhone"),
        (EDGE, "Edge on Windows"),
        ("curl/8.5.0", "curl"),
        ("", "Unknown browser"),
        ("<script>alert(1)</script>", "Unknown browser"),
    ],
)
def test_browsers_are_told_in_words(agent: str, words: str) -> None:
    assert browsers.in_words(agent) == words

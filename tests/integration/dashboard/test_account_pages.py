"""Signing up, in and out on the dashboard, and the protection of every form."""

import re

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.base.config import Settings
from arena.store import Store
from arena.store.registry import accounts, passwords
from dashboard import create_app

PASSWORD = "correct horse battery"


def token(browser: FlaskClient, path: str = "/sign-in") -> str:
    (found,) = set(re.findall(r'name="csrf_token" value="([^"]+)"', browser.get(path).text))
    return str(found)


def send(browser: FlaskClient, path: str, form: str = "/sign-in", **fields: str) -> TestResponse:
    """Posts a form with the token of the page that has it."""
    return browser.post(path, data={**fields, "csrf_token": token(browser, form)})


def sign_up(browser: FlaskClient, name: str = "ada", **more: str) -> TestResponse:
    return send(browser, "/sign-up", name=name, password=PASSWORD, **more)


def sign_in(browser: FlaskClient, name: str = "ada", password: str = PASSWORD) -> TestResponse:
    return send(browser, "/sign-in", name=name, password=password)


def is_in(browser: FlaskClient, name: str = "ada") -> bool:
    return f"<bdi>{name}</bdi>" in browser.get("/").text


def test_whoever_signs_up_is_signed_in_and_comes_to_the_bots(browser: FlaskClient) -> None:
    answer = sign_up(browser)

    assert (answer.status_code, answer.location) == (303, "/my/bots")
    assert is_in(browser)
    assert browser.get("/my/bots").status_code == 200


def test_signing_out_and_in_again(browser: FlaskClient) -> None:
    sign_up(browser)

    assert send(browser, "/sign-out", "/account").location == "/"
    assert not is_in(browser)
    assert browser.get("/my/bots").location == "/sign-in?next=/my/bots"
    assert send(browser, "/sign-in", name="ADA", password=PASSWORD, next="/my/bots").location == (
        "/my/bots"
    )
    assert is_in(browser)


@pytest.mark.parametrize(
    ("name", "password"), [("ada", "wrong horse battery"), ("bob", PASSWORD), ("", "")]
)
def test_failed_sign_in_does_not_say_what_is_wrong(
    browser: FlaskClient, name: str, password: str
) -> None:
    sign_up(browser)
    send(browser, "/sign-out", "/account")

    answer = sign_in(browser, name, password)

    assert answer.status_code == 400
    assert "Wrong name or password." in answer.text
    assert not is_in(browser)


@pytest.mark.parametrize(
    "onward", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_sign_in_does_not_redirect_to_other_sites(browser: FlaskClient, onward: str) -> None:
    assert sign_up(browser, next=onward).location == "/my/bots"


@pytest.mark.parametrize(
    ("name", "password", "said"),
    [
        ("ada", "short", "10 to 200 characters"),
        ("ada", "x" * 201, "10 to 200 characters"),
        ("grasshopper", "grasshopper1", "little more than the name"),
        ("<script>alert(1)</script>", PASSWORD, "not a valid account name"),
        ("ada\u202e\u200f", PASSWORD, "not a valid account name"),
        ("a" * 41, PASSWORD, "not a valid account name"),
    ],
)
def test_an_account_that_cannot_be_made_is_told_why_and_the_name_is_kept(
    browser: FlaskClient, name: str, password: str, said: str
) -> None:
    answer = send(browser, "/sign-up", name=name, password=password)

    assert answer.status_code == 400
    assert said in answer.text
    assert "<script>alert" not in answer.text
    assert f'"{password}"' not in answer.text
    assert not is_in(browser, name)


def test_a_name_of_40_characters_fits(browser: FlaskClient) -> None:
    assert sign_up(browser, "a" * 40).status_code == 303
    assert is_in(browser, "a" * 40)


def test_a_closed_arena_says_who_makes_accounts(sqlite_store: Store) -> None:
    browser = create_app(Settings(sign_up="closed"), sqlite_store, None).test_client()

    assert "arena account add" in browser.get("/sign-up").text
    assert 'name="password"' not in browser.get("/sign-up").text
    assert sign_up(browser).status_code == 403


def test_a_new_password_signs_other_browsers_out(browser: FlaskClient) -> None:
    sign_up(browser)
    other = browser.application.test_client()
    sign_in(other)
    new = "another horse battery"

    wrong = send(browser, "/account/password", "/account", old="not it", new=new)
    short = send(browser, "/account/password", "/account", old=PASSWORD, new="short")
    done = send(browser, "/account/password", "/account", old=PASSWORD, new=new)

    assert "not your current password" in wrong.text
    assert "10 to 200 characters" in short.text
    assert (wrong.status_code, short.status_code, done.status_code) == (400, 400, 303)
    assert is_in(browser)
    assert not is_in(other)
    assert sign_in(other, password=new).status_code == 303


def test_the_cookie_is_hardened(browser: FlaskClient) -> None:
    plain = browser.get("/sign-in").headers["Set-Cookie"]

    assert "HttpOnly" in plain
    assert "SameSite=Lax" in plain
    assert "Secure" not in plain


def test_behind_proxies_that_are_believed_https_is_noticed(sqlite_store: Store) -> None:
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}
    believing = create_app(Settings(proxies=1), sqlite_store, None).test_client()
    doubting = create_app(Settings(), sqlite_store, None).test_client()

    assert "Secure" in believing.get("/sign-in", headers=headers).headers["Set-Cookie"]
    assert "Secure" not in doubting.get("/sign-in", headers=headers).headers["Set-Cookie"]


def test_https_responses_have_hsts(sqlite_store: Store) -> None:
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}
    believing = create_app(Settings(proxies=1), sqlite_store, None).test_client()
    doubting = create_app(Settings(), sqlite_store, None).test_client()
    told = "Strict-Transport-Security"

    assert believing.get("/", headers=headers).headers[told] == "max-age=31536000"
    assert believing.get("/nothing", headers=headers).headers[told]
    assert told not in believing.get("/").headers
    assert told not in doubting.get("/", headers=headers).headers


def test_every_cookie_is_hardened(sqlite_store: Store) -> None:
    browser = create_app(Settings(proxies=1), sqlite_store, None).test_client()
    sign_up(browser)
    for scheme in ("http", "https"):
        address = f"{scheme}://localhost"
        proxied = {"X-Forwarded-Proto": scheme}
        page = browser.get("/sign-in", base_url=address, headers=proxied).text
        (found,) = set(re.findall(r'name="csrf_token" value="([^"]+)"', page))
        data = {"name": "ada", "password": PASSWORD, "csrf_token": found}
        headers = {"Referer": f"{address}/sign-in", **proxied}
        answer = browser.post("/sign-in", data=data, base_url=address, headers=headers)
        cookies = answer.headers.getlist("Set-Cookie")
        assert {cookie.partition("=")[0] for cookie in cookies} == {
            "arena_session",
            "arena_browser",
        }
        for cookie in cookies:
            assert "HttpOnly" in cookie
            assert "SameSite=Lax" in cookie
            assert ("Secure" in cookie) == (scheme == "https")


def test_pages_may_not_use_the_machine(browser: FlaskClient) -> None:
    policy = browser.get("/").headers["Permissions-Policy"]

    assert {"camera=()", "microphone=()", "geolocation=()"} <= set(policy.split(", "))
    assert "clipboard-write=(self)" in policy, "tokens are copied"


def test_looking_needs_no_cookie(browser: FlaskClient) -> None:
    assert "Set-Cookie" not in browser.get("/").headers


def test_pages_of_somebody_signed_in_are_kept_for_nobody_else(sqlite_store: Store) -> None:
    settings = Settings(public_url="https://arena.example")
    browser = create_app(settings, sqlite_store, None).test_client()
    assert browser.get("/").headers["Cache-Control"] == "no-cache"
    sign_up(browser)

    assert browser.get("/").headers["Cache-Control"] == "private, no-cache"
    assert browser.get("/account").headers["Cache-Control"] == "private, no-cache"


def test_a_cookie_that_somebody_made_up_is_nobodys(browser: FlaskClient) -> None:
    sign_up(browser)
    browser.set_cookie("arena_session", "eyJfdXNlcl9pZCI6IjEgeCJ9.aaaa.bbbb")

    assert not is_in(browser)


def test_a_form_without_its_token_is_refused_with_a_page(browser: FlaskClient) -> None:
    answer = browser.post("/sign-in", data={"name": "ada", "password": PASSWORD})

    assert answer.status_code == 400
    assert "did not come from this site" in answer.text
    assert '<div class="notice">' in answer.text


def test_the_token_of_another_browser_is_refused(browser: FlaskClient) -> None:
    other = browser.application.test_client()

    answer = browser.post("/sign-up", data={"name": "a", "csrf_token": token(other)})

    assert answer.status_code == 400
    assert "did not come from this site" in answer.text


def test_a_form_larger_than_any_is_refused(browser: FlaskClient) -> None:
    answer = send(browser, "/sign-up", name="a" * 300_000, password=PASSWORD)

    assert answer.status_code == 413
    assert "The form is too large for this site" in answer.text


def test_two_dashboards_with_one_key_know_the_same_people(sqlite_store: Store) -> None:
    settings = Settings(secret_key="a long random text")
    one = create_app(settings, sqlite_store, None).test_client()
    two = create_app(settings, sqlite_store, None).test_client()
    sign_up(one)
    cookie = one.get_cookie("arena_session")
    assert cookie is not None

    two.set_cookie("arena_session", cookie.value)

    assert is_in(two)


def test_an_account_that_is_gone_is_signed_out(browser: FlaskClient, sqlite_store: Store) -> None:
    sign_up(browser)
    with sqlite_store.write() as conn:
        accounts.set_password(conn, "ada", passwords.hashed("something else"))

    assert not is_in(browser)
    assert browser.get("/account").status_code == 303

"""Attacks on signing in with a provider: forged tokens, planted sessions, ways back that were mixed
up or made up, and a provider that hangs."""

import hmac
import json
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask
from flask.testing import FlaskClient
from joserfc import jwt
from joserfc.jwk import RSAKey

from arena.store import Store
from arena.store.registry import accounts, identities
from dashboard import create_app
from dashboard.account import providers
from tests.integration.people import PASSWORD, csrf, person, send
from tests.integration.sign_in_provider import (
    KEY,
    OTHER_KEY,
    Provider,
    come,
    serving,
    settings_of,
)


@pytest.fixture
def provider() -> Iterator[Provider]:
    with serving() as server:
        yield server


@pytest.fixture
def app(provider: Provider, sqlite_store: Store) -> Flask:
    return create_app(settings_of(provider), sqlite_store, None)


# Forged tokens


def claims_of(provider: Provider) -> dict[str, Any]:
    now = int(time.time())
    return {
        "iss": provider.url, "aud": "client", "sub": "sub-1", "name": "Nora N.",
        "nonce": provider.asked["nonce"], "iat": now, "exp": now + 60,
    }  # fmt: skip


def unsigned(claims: dict[str, Any], alg: str) -> str:
    parts = (json.dumps(part).encode() for part in ({"alg": alg, "kid": "one"}, claims))
    return "".join(f"{encoded(part)}." for part in parts)


def signed(claims: dict[str, Any], key: RSAKey, **header: Any) -> str:
    return str(jwt.encode({"alg": "RS256", "kid": "one", **header}, claims, key))


def signed_by_secret(claims: dict[str, Any], secret: bytes) -> str:
    """By hand: libraries refuse a public key as a secret."""
    told = unsigned(claims, "HS256").rstrip(".")
    return f"{told}.{encoded(hmac.digest(secret, told.encode(), 'sha256'))}"


def encoded(part: bytes) -> str:
    return urlsafe_b64encode(part).decode().rstrip("=")


PUBLIC = KEY.as_pem(private=False)
FORGED: dict[str, Any] = {
    "no algorithm": lambda claims: unsigned(claims, "none"),
    "no algorithm, other case": lambda claims: unsigned(claims, "None"),
    "the public key as a secret": lambda claims: signed_by_secret(claims, PUBLIC),
    "the client's secret": lambda claims: signed_by_secret(claims, b"secret"),
    "another key": lambda claims: signed(claims, OTHER_KEY, kid="two"),
    "a key that it brings along": lambda claims: signed(
        claims, OTHER_KEY, jwk=OTHER_KEY.as_dict(private=False)
    ),
    "no token": lambda _: None,
}


@pytest.mark.parametrize("forgery", FORGED)
def test_a_forged_token_is_refused(
    app: Flask, provider: Provider, monkeypatch: pytest.MonkeyPatch, forgery: str
) -> None:
    monkeypatch.setattr(provider, "id_token", lambda: FORGED[forgery](claims_of(provider)))

    assert come(app.test_client(), provider).status_code == 400


def test_the_tokens_of_these_tests_are_good_but_for_the_forgery(
    app: Flask, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "id_token", lambda: signed(claims_of(provider), KEY))

    assert come(app.test_client(), provider).location == "/sign-up/elsewhere"


@pytest.mark.parametrize("claim", ["iss", "sub", "aud", "exp", "iat", "nonce"])
def test_a_token_without_a_claim_is_refused(
    app: Flask, provider: Provider, monkeypatch: pytest.MonkeyPatch, claim: str
) -> None:
    def id_token() -> str:
        return signed({k: v for k, v in claims_of(provider).items() if k != claim}, KEY)

    monkeypatch.setattr(provider, "id_token", id_token)

    assert come(app.test_client(), provider).status_code == 400


@pytest.mark.parametrize(
    "wrong",
    [
        {"azp": "another"},
        {"aud": ["another", "client"]},
        {"aud": ["another", "client"], "azp": "another"},
        {"sub": ""},
        {"sub": "sub-1\x00"},
        {"sub": ["sub-1"]},
        {"iat": 99_999_999_999},
        {"nbf": 99_999_999_999},
    ],
)
def test_a_token_with_a_wrong_claim_is_refused(
    app: Flask, provider: Provider, wrong: dict[str, object]
) -> None:
    provider.wrong = wrong

    assert come(app.test_client(), provider).status_code == 400


# Ways back


def test_a_way_back_from_another_provider_or_without_state_leads_nowhere(
    app: Flask, provider: Provider
) -> None:
    for word, back in (("github", "openid"), ("openid", "github")):
        browser = app.test_client()
        query = provider.allow(browser.get(f"/sign-in/with/{word}"))
        assert browser.get(f"/sign-in/from/{back}{query}").status_code == 400
    for query in ("?code=good", "?code=good&state=", "?state=x", ""):
        browser = app.test_client()
        provider.allow(browser.get("/sign-in/with/openid"))
        assert browser.get(f"/sign-in/from/openid{query}").status_code == 400


def test_a_code_without_its_verifier_is_worth_nothing(app: Flask, provider: Provider) -> None:
    """PKCE: a code that was overheard, in a flow of the listener's own."""
    browser = app.test_client()
    victims = provider.allow(app.test_client().get("/sign-in/with/openid"))
    challenge = provider.asked["code_challenge"]
    provider.allow(browser.get("/sign-in/with/openid"))
    own_state = provider.asked["state"]
    provider.asked["code_challenge"] = challenge
    code = victims.partition("code=")[2].partition("&")[0]

    assert browser.get(f"/sign-in/from/openid?code={code}&state={own_state}").status_code == 400


OUTSIDE = (
    "https://evil.example", "//evil.example", "///evil.example", "/\\evil.example",
    "\\\\evil.example", "/\t/evil.example", "\t//evil.example", " //evil.example",
    "https:evil.example", "javascript:alert(1)", "/x\r\nSet-Cookie: a=b", "evil.example",
)  # fmt: skip


@pytest.mark.parametrize("address", OUTSIDE)
def test_signing_in_leads_to_no_other_site(
    app: Flask, provider: Provider, sqlite_store: Store, address: str
) -> None:
    ada = person(app, sqlite_store, "ada")
    send(ada, "/account/sign-ins/openid", "/account", old=PASSWORD)
    come(ada, provider)

    by_provider = come(app.test_client(), provider, more=f"?next={quote(address)}")
    by_password = send(app.test_client(), "/sign-in", name="ada", password=PASSWORD, next=address)
    assert (by_provider.location, by_password.location) == ("/my/bots", "/my/bots")
    assert "Set-Cookie: a=b" not in str(by_password.headers)


# Other people's accounts


@pytest.mark.parametrize("verified", [True, False])
def test_an_address_that_a_provider_tells_opens_no_account(
    app: Flask, provider: Provider, sqlite_store: Store, verified: bool
) -> None:
    person(app, sqlite_store, "ada")
    told = {"email": "ada@mail.example", "email_verified": verified, "preferred_username": "ada"}
    provider.wrong = told

    assert come(app.test_client(), provider).location == "/sign-up/elsewhere"


def test_a_thiefs_way_back_links_nothing_to_a_victim_who_is_about_to_link(
    app: Flask, provider: Provider, sqlite_store: Store
) -> None:
    ada, thief = person(app, sqlite_store, "ada"), app.test_client()
    send(ada, "/account/sign-ins/openid", "/account", old=PASSWORD)
    ada.get("/sign-in/with/openid")
    provider.subject = "thief"
    planted = provider.allow(thief.get("/sign-in/with/openid"))

    assert ada.get(f"/sign-in/from/openid{planted}").status_code == 400
    with sqlite_store.read() as conn:
        assert identities.of_account(conn, accounts.by_name(conn, "ada").id) == []


def test_forms_of_other_sites_link_remove_and_make_nothing(
    app: Flask, provider: Provider, sqlite_store: Store
) -> None:
    ada, arriving = person(app, sqlite_store, "ada"), app.test_client()
    come(arriving, provider)
    paths = ("/account/sign-ins/openid", "/account/sign-ins/openid/remove")

    assert [ada.post(path, data={"old": PASSWORD}).status_code for path in paths] == [400, 400]
    assert arriving.post("/sign-up/elsewhere", data={"name": "nora"}).status_code == 400
    with sqlite_store.read() as conn:
        assert accounts.find(conn, "nora") is None


def test_a_session_that_a_thief_planted_is_not_signed_in_by_a_provider(
    app: Flask, provider: Provider
) -> None:
    thief, victim = app.test_client(), app.test_client()
    csrf(thief, "/sign-in")
    planted = cookie_of(thief)
    victim.set_cookie("arena_session", planted)
    come(victim, provider)
    send(victim, "/sign-up/elsewhere", "/sign-up/elsewhere", name="nora")

    assert victim.get("/account").status_code == 200
    assert thief.get("/account").status_code == 303
    assert cookie_of(victim) != planted


def cookie_of(browser: FlaskClient) -> str:
    cookie = browser.get_cookie("arena_session")
    assert cookie is not None
    return cookie.value


# A provider that hangs


def test_a_provider_that_hangs_keeps_a_few_threads_at_most(
    app: Flask, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(providers, "TOGETHER", threading.BoundedSemaphore(1))
    monkeypatch.setattr(providers, "WAIT_S", 0.0)
    asked, goes_on = threading.Event(), threading.Event()
    told = provider.id_token

    def hangs() -> str:
        asked.set()
        assert goes_on.wait(30)
        return told()

    monkeypatch.setattr(provider, "id_token", hangs)
    waiting, other = app.test_client(), app.test_client()
    back = provider.allow(waiting.get("/sign-in/with/openid"))
    answers: list[str | None] = []
    path = f"/sign-in/from/openid{back}"
    thread = threading.Thread(target=lambda: answers.append(waiting.get(path).location))
    thread.start()
    assert asked.wait(30)

    refused = other.get("/sign-in/with/openid")
    assert (refused.status_code, "Try again" in refused.text) == (400, True)
    goes_on.set()
    thread.join(30)
    assert answers == ["/sign-up/elsewhere"]
    assert other.get("/sign-in/with/openid").status_code == 302

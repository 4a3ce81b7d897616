"""Signing in with an OpenID provider, which is a small one of our own, and with GitHub."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.base.errors import InvalidRequest
from arena.store import Store
from arena.store.registry import accounts, identities
from arena.store.registry.identities import Identity
from dashboard import create_app
from tests.integration.people import HASHED, PASSWORD, person, send
from tests.integration.sign_in_provider import OTHER_KEY, Provider, come, serving, settings_of


@pytest.fixture
def provider() -> Iterator[Provider]:
    with serving() as server:
        yield server


@pytest.fixture
def app(provider: Provider, sqlite_store: Store) -> Flask:
    return create_app(settings_of(provider), sqlite_store, None)


def name_of(browser: FlaskClient) -> str:
    found = re.search(r'<a href="/account"[^>]*><bdi>([^<]+)', browser.get("/").text)
    return found[1] if found else ""


def test_whoever_is_new_chooses_a_name_and_comes_back_to_the_same_account(
    app: Flask, provider: Provider
) -> None:
    browser = app.test_client()
    assert "Sign in with School" in browser.get("/sign-in").text

    assert come(browser, provider).location == "/sign-up/elsewhere"
    assert "Nora N." in browser.get("/sign-up/elsewhere").text
    bad = send(browser, "/sign-up/elsewhere", "/sign-up/elsewhere", name="no spaces")
    assert bad.status_code == 400
    made = send(browser, "/sign-up/elsewhere", "/sign-up/elsewhere", name="nora")
    assert (made.status_code, name_of(browser)) == (303, "nora")

    other = app.test_client()
    assert come(other, provider, more="?next=/bots").location == "/bots"
    assert name_of(other) == "nora"
    assert send(app.test_client(), "/sign-in", name="nora", password="").status_code == 400


def test_the_request_has_state_nonce_and_a_challenge_and_leads_back_to_the_public_address(
    app: Flask, provider: Provider
) -> None:
    answer = app.test_client().get("/sign-in/with/openid", base_url="http://evil.example")
    provider.allow(answer)

    assert answer.location.startswith(f"{provider.url}/authorize?")
    assert provider.asked["redirect_uri"] == "https://arena.example/sign-in/from/openid"
    assert provider.asked["code_challenge_method"] == "S256"
    assert len({provider.asked[name] for name in ("state", "nonce", "code_challenge")}) == 3


@pytest.mark.parametrize(
    "wrong",
    [{"nonce": "another"}, {"aud": "another"}, {"iss": "https://evil.example"}, {"exp": 5}],
)
def test_an_id_token_that_is_not_for_us_signs_nobody_in(
    app: Flask, provider: Provider, wrong: dict[str, object]
) -> None:
    provider.wrong = wrong
    assert come(app.test_client(), provider).status_code == 400


def test_a_signature_of_somebody_else_signs_nobody_in(app: Flask, provider: Provider) -> None:
    provider.key = OTHER_KEY
    assert come(app.test_client(), provider).status_code == 400


def test_a_way_back_that_did_not_begin_in_this_browser_leads_nowhere(
    app: Flask, provider: Provider
) -> None:
    one, other = app.test_client(), app.test_client()
    back = provider.allow(one.get("/sign-in/with/openid"))
    other.get("/sign-in/with/openid")

    assert other.get(f"/sign-in/from/openid{back}").status_code == 400
    assert app.test_client().get(f"/sign-in/from/openid{back}").status_code == 400
    assert one.get("/sign-in/from/openid?error=access_denied").status_code == 400
    assert one.get(f"/sign-in/from/openid{back}").status_code == 400, "once"


def test_an_account_of_the_same_name_is_nobodys_until_its_owner_links_it(
    app: Flask, provider: Provider, sqlite_store: Store
) -> None:
    provider.name = "ada"
    ada = person(app, sqlite_store, "ada")
    stranger = app.test_client()
    come(stranger, provider)
    taken = send(stranger, "/sign-up/elsewhere", "/sign-up/elsewhere", name="ada")
    assert "already" in taken.text

    assert send(ada, "/account/sign-ins/openid", "/account", old="no").status_code == 400
    on = send(ada, "/account/sign-ins/openid", "/account", old=PASSWORD)
    assert 'href="/sign-in/with/openid"' in on.text
    assert come(ada, provider).location == "/account?done=linked"
    other = app.test_client()
    come(other, provider)
    assert name_of(other) == "ada"

    gone = send(ada, "/account/sign-ins/openid/remove", "/account", old=PASSWORD)
    assert gone.location == "/account?done=unlinked"
    assert come(app.test_client(), provider).location == "/sign-up/elsewhere"


def test_nothing_is_linked_that_its_owner_did_not_begin_to_link(
    app: Flask, provider: Provider, sqlite_store: Store
) -> None:
    ada = person(app, sqlite_store, "ada")

    assert come(ada, provider).location == "/sign-up/elsewhere"
    with sqlite_store.read() as conn:
        assert identities.of_account(conn, accounts.by_name(conn, "ada").id) == []


def test_one_sign_in_is_of_one_account(app: Flask, provider: Provider, sqlite_store: Store) -> None:
    ada, bob = (person(app, sqlite_store, name) for name in ("ada", "bob"))
    for browser in (ada, bob):
        send(browser, "/account/sign-ins/openid", "/account", old=PASSWORD)
    come(ada, provider)

    answer = come(bob, provider)
    assert answer.status_code == 409
    assert "belongs to another account" in answer.text


def test_the_only_way_in_is_not_removed(app: Flask, provider: Provider) -> None:
    browser = app.test_client()
    come(browser, provider, "github")
    send(browser, "/sign-up/elsewhere", "/sign-up/elsewhere", name="nora")

    assert "nora-hub" in browser.get("/account").text
    kept = send(browser, "/account/sign-ins/github/remove", "/account")
    assert "only way to sign in" in kept.text
    first = send(browser, "/account/password", "/account", new="another horse battery")
    assert first.status_code == 303
    assert (
        send(
            browser, "/account/sign-ins/github/remove", "/account", old="another horse battery"
        ).status_code
        == 303
    )


def test_a_closed_arena_makes_no_account_for_who_comes_from_elsewhere(
    app: Flask, provider: Provider, sqlite_store: Store
) -> None:
    settings = app.extensions["arena"].settings.model_copy(update={"sign_up": "closed"})
    browser = create_app(settings, sqlite_store, None).test_client()
    come(browser, provider)

    assert "arena account add" in browser.get("/sign-up/elsewhere").text
    assert send(browser, "/sign-up/elsewhere", name="nora").status_code == 403


def test_without_settings_there_is_no_such_way_and_half_a_setting_is_told(
    sqlite_store: Store,
) -> None:
    browser = create_app(Settings(), sqlite_store, None).test_client()
    assert browser.get("/sign-in/with/github").status_code == 404
    assert "Sign in with" not in browser.get("/sign-in").text
    with pytest.raises(InvalidRequest, match="ARENA_PUBLIC_URL"):
        create_app(Settings(github_id="a", github_secret="b"), sqlite_store, None)


def test_identities_are_stored_on_both_databases(store: Store) -> None:
    nora = Identity("https://school.example", "sub-1", "Nora")
    with store.write() as conn:
        number = accounts.sign_up(conn, "nora", HASHED).id
        identities.link(conn, number, nora, 1.0)
        identities.link(conn, number, nora, 2.0)
        assert identities.find(conn, nora) == number
        assert identities.of_account(conn, number) == [nora]
        identities.unlink(conn, number, nora.provider)
        assert identities.find(conn, nora) is None


def test_a_dashboard_without_providers_does_not_load_what_asks_them(tmp_path: Path) -> None:
    """It takes a sixth of a dashboard's start."""
    code = (
        "import sys\nfrom arena.base.config import Settings\n"
        "from arena.store import upgrade_store\n"
        "from dashboard import create_app\n"
        "store = upgrade_store('sqlite:///' + sys.argv[1])\n"
        "create_app(Settings(), store, None); store.dispose()\n"
        "print(*sorted({'authlib', 'requests'} & sys.modules.keys()))\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "arena.db")]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout == "\n"

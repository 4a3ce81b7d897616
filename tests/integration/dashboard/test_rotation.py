"""Secrets are replaced while the arena goes on: its key, and the password of its database."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.store import Store, open_store
from arena.store.registry import bots
from dashboard import create_app, keys
from tests.integration.people import csrf, person

OLD, NEW = "the old key", "the new key"


def dashboard(store: Store, key: str, old: str = "") -> Flask:
    return create_app(Settings(secret_key=key, secret_key_old=old), store, None)


def moved(browser: FlaskClient, app: Flask) -> FlaskClient:
    """The same browser, with its cookies, at a dashboard that was started again."""
    other = app.test_client()
    for name in ("arena_session", "arena_browser", "arena_guest"):
        cookie = browser.get_cookie(name)
        if cookie is not None:
            other.set_cookie(name, cookie.value)
    return other


def signed_in(browser: FlaskClient) -> bool:
    return browser.get("/account").status_code == 200


def test_sessions_outlive_a_new_key_while_the_old_one_is_accepted(sqlite_store: Store) -> None:
    before = person(dashboard(sqlite_store, OLD), sqlite_store, "ada")
    both, only_new = dashboard(sqlite_store, NEW, OLD), dashboard(sqlite_store, NEW)

    assert signed_in(moved(before, both))
    assert not signed_in(moved(before, only_new))


def test_new_signatures_use_the_new_key(sqlite_store: Store) -> None:
    both, only_new = dashboard(sqlite_store, NEW, OLD), dashboard(sqlite_store, NEW)

    assert signed_in(moved(person(both, sqlite_store, "ada"), only_new))


def test_a_form_of_before_can_be_sent(sqlite_store: Store) -> None:
    before = person(dashboard(sqlite_store, OLD), sqlite_store, "ada")
    token = csrf(before, "/my/bots/-/new")
    after = moved(before, dashboard(sqlite_store, NEW, OLD))

    answer = after.post("/my/bots/-/new", data={"name": "mine", "csrf_token": token})

    assert answer.status_code == 303, answer.text
    assert "/my/bots/mine" in answer.location


@pytest.mark.parametrize(("old", "expected"), [("", [NEW]), (OLD, [OLD, NEW])])
def test_the_new_key_signs_and_is_the_last(
    sqlite_store: Store, old: str, expected: list[str]
) -> None:
    assert keys.accepted(dashboard(sqlite_store, NEW, old)) == expected


@pytest.fixture
def role(postgres_store: Store) -> Iterator[Callable[[str], str]]:
    """Sets the password of a role that needs one, and gives the URL with it."""
    with postgres_store.read() as conn:
        file = Path(str(conn.scalar(text("SHOW hba_file"))))
    before = file.read_text()
    file.write_text(f"local all rotating scram-sha-256\n{before}")

    def set_password(password: str) -> str:
        with postgres_store.write() as conn:
            there = conn.scalar(text("SELECT 1 FROM pg_roles WHERE rolname = 'rotating'"))
            deed = "ALTER" if there else "CREATE"
            conn.execute(text(f"{deed} ROLE rotating LOGIN SUPERUSER PASSWORD '{password}'"))
            conn.execute(text("SELECT pg_reload_conf()"))
        url = postgres_store.url.set(username="rotating", password=password)
        return url.render_as_string(hide_password=False)

    yield set_password
    file.write_text(before)
    with postgres_store.write() as conn:
        conn.execute(text("DROP ROLE rotating"))
        conn.execute(text("SELECT pg_reload_conf()"))


def test_open_connections_outlive_a_new_password_and_new_ones_need_it(
    role: Callable[[str], str],
) -> None:
    old_url = role("old password")
    running = open_store(old_url)
    new_url = role("new password")

    with running.write() as conn:
        bots.register(conn, "stored")
    with pytest.raises(Unavailable) as refused:
        open_store(old_url)
    restarted = open_store(new_url)
    with restarted.read() as conn:
        assert bots.get(conn, "stored")
    for store in (running, restarted):
        store.dispose()

    assert "password" in str(refused.value)
    assert "old password" not in str(refused.value)

"""People at browsers: signed up, with bots, and able to send forms."""

from __future__ import annotations

import re

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.store import Store
from arena.store.registry import accounts, bots, passwords
from arena.store.registry.bots import RegisteredBot

PASSWORD = "correct horse battery"
HASHED = passwords.hashed(PASSWORD)


def csrf(browser: FlaskClient, path: str = "/sign-in") -> str:
    """The token of the forms on a page."""
    text = browser.get(path).text
    (found,) = set(re.findall(r'name="csrf_token" value="([^"]+)"', text))
    return str(found)


def send(browser: FlaskClient, path: str, form: str = "/sign-in", **fields: str) -> TestResponse:
    """Posts a form with the token of the page that has it."""
    return browser.post(path, data={**fields, "csrf_token": csrf(browser, form)})


def person(app: Flask, store: Store, name: str, *, organiser: bool = False) -> FlaskClient:
    """A browser at which somebody is signed in, whose account is made."""
    with store.write() as conn:
        accounts.sign_up(conn, name, HASHED, organiser=organiser)
    browser = app.test_client()
    answer = send(browser, "/sign-in", name=name, password=PASSWORD)
    assert answer.status_code == 303
    return browser


def bot_of(store: Store, owner: str, name: str) -> tuple[RegisteredBot, str]:
    """A bot in somebody's account, and its token."""
    with store.write() as conn:
        return bots.register(conn, name, owner=accounts.by_name(conn, owner).id)

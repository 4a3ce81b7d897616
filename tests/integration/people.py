"""People at browsers: signed up, with bots, and able to send forms."""

import re
import secrets

from flask import Flask
from flask.testing import FlaskClient
from itsdangerous import URLSafeTimedSerializer
from werkzeug.test import TestResponse

from arena.store import Store
from arena.store.registry import accounts, bots, passwords
from arena.store.registry.bots import RegisteredBot

PASSWORD = "correct horse battery"
HASHED = passwords.hashed(PASSWORD)


def csrf(browser: FlaskClient, path: str = "") -> str:
    """The token of the forms on a page; without a page, one that all forms accept."""
    if path:
        (found,) = set(re.findall(r'name="csrf_token" value="([^"]+)"', browser.get(path).text))
        return str(found)
    with browser.session_transaction() as session:
        token = session.setdefault("csrf_token", secrets.token_hex(20))
    # As `flask_wtf.csrf.generate_csrf` does, which is faster than a page.
    signer = URLSafeTimedSerializer(str(browser.application.secret_key), salt="wtf-csrf-token")
    return str(signer.dumps(token))


def send(browser: FlaskClient, path: str, form: str = "", **fields: str) -> TestResponse:
    """Posts a form with a token, by default not of the page that has it."""
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

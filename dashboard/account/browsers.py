"""Browsers: what they call themselves, and in which one somebody has signed in before.

A browser in which an account was signed in once carries a signed cookie that says so. Wrong
passwords from everywhere else cannot keep it out, see `failures`.
"""

from __future__ import annotations

import secrets

from flask import request
from itsdangerous import BadSignature, URLSafeTimedSerializer
from werkzeug.wrappers import Response

from dashboard import keys

COOKIE = "arena_browser"
LASTS_S = 180 * 86_400
MOST = 8  # accounts that one browser is known to

# The first that fits: many browsers name others, too, that they are like.
PROGRAMS = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"), ("python", "Python"),
)  # fmt: skip
SYSTEMS = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
    ("Windows", "Windows"), ("Mac OS", "macOS"), ("Linux", "Linux"),
)  # fmt: skip
UNKNOWN = "Unknown browser"


def in_words(user_agent: str) -> str:
    """A browser as people know it, e.g. "Firefox on Linux"; of the header nothing else is kept."""
    program = next((name for mark, name in PROGRAMS if mark in user_agent), UNKNOWN)
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    return f"{program} on {system}" if system else program


def known_as(account: int) -> str:
    """The id of the present browser if the account was signed in there before, else nothing."""
    browser, accounts = _read()
    return browser if account in accounts else ""


def remember(account: int, response: Response) -> Response:
    """Lets the browser say next time that the account was signed in there."""
    browser, accounts = _read()
    known = [account, *(each for each in accounts if each != account)][:MOST]
    response.set_cookie(
        COOKIE,
        _signer().dumps([browser or secrets.token_urlsafe(12), known]),
        max_age=LASTS_S,
        secure=request.is_secure,
        httponly=True,
        samesite="Lax",
    )
    return response


def _read() -> tuple[str, list[int]]:
    try:
        browser, accounts = _signer().loads(request.cookies.get(COOKIE, ""), max_age=LASTS_S)
    except BadSignature:
        return "", []
    return str(browser), list(accounts)


def _signer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(keys.accepted(), salt="browser")

"""Browsers: their names, and the accounts that have signed in with them before.

After a sign-in, a browser has a signed cookie that names the account. Wrong passwords from other
browsers cannot lock it out, see `failures`.
"""

import secrets

from flask import request
from itsdangerous import BadSignature, URLSafeTimedSerializer
from werkzeug.wrappers import Response

from dashboard import keys

COOKIE = "arena_browser"
LASTS_S = 180 * 86_400
MOST = 8  # accounts in the cookie of a browser

# The first match wins, because many browsers also name browsers they are compatible with.
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
    """Return a browser's familiar name, e.g. "Firefox on Linux"."""
    program = next((name for mark, name in PROGRAMS if mark in user_agent), UNKNOWN)
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    return f"{program} on {system}" if system else program


def known_as(account: int) -> str:
    """Return the id of the current browser if the account has signed in with it before, else ""."""
    browser, accounts = _read()
    return browser if account in accounts else ""


def remember(account: int, response: Response) -> Response:
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
        # Without the age, because the clock of the machine that signed it may be wrong.
        browser, accounts = _signer().loads(request.cookies.get(COOKIE, ""))
    except BadSignature:
        return "", []
    return str(browser), list(accounts)


def _signer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(keys.accepted(), salt="browser")

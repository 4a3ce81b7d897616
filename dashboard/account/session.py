"""Browser sessions: the cookie has a random secret, the database the session it belongs to."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import structlog
from flask import Flask, Request, Response, after_this_request, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from flask_login import LoginManager, UserMixin, current_user, login_user, logout_user
from itsdangerous import BadSignature
from sqlalchemy import Connection

from arena.base.errors import ArenaError, InvalidRequest, Unavailable
from arena.store.registry import accounts, sessions, tokens
from arena.store.registry.accounts import Account
from arena.store.registry.sessions import BrowserSession
from dashboard.account import browsers
from dashboard.sources import sources

log = structlog.get_logger(__name__)

CHANGED = "The password has just been changed. Sign in with the new one."


class SignedIn(UserMixin):  # type: ignore[misc]
    """The user of Flask-Login: an account in a session."""

    def __init__(self, account: Account, stored_session: BrowserSession, secret: str) -> None:
        self.account = account
        self.session = stored_session
        self.secret = secret

    def get_id(self) -> str:
        return self.secret


class Cookies(SecureCookieSessionInterface):
    """Session cookies, restricted to HTTPS if the request uses it.

    Their age is not checked, because the clock of the machine that signed them may be wrong. The
    database has the end of each session.
    """

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession:
        return self.session_class(self.content(app, request.cookies))

    def content(self, app: Flask, cookies: Mapping[str, str]) -> dict[str, Any]:
        """Return the signed content of these cookies, empty without a valid signature."""
        serializer = self.get_signing_serializer(app)
        assert serializer is not None  # the application has a key
        try:
            signed: dict[str, Any] = serializer.loads(cookies.get(self.get_cookie_name(app), ""))
        except BadSignature:
            return {}
        return signed

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure


def register(app: Flask) -> None:
    app.config.update(
        SESSION_COOKIE_NAME="arena_session",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=timedelta(seconds=sessions.LASTS_S),
    )
    app.session_interface = Cookies()
    known = LoginManager()
    known.session_protection = None  # mobile users change their addresses
    # Its own context processor would break the error page for an unavailable database.
    known.init_app(app, add_context_processor=False)
    known.user_loader(_load)

    @app.context_processor
    def of_this_request() -> dict[str, object]:
        try:
            return {"account": current_account()}
        except ArenaError:  # the database is unavailable
            return {"account": None}


def has_session(app: Flask, cookies: Mapping[str, str]) -> bool:
    """Whether these cookies contain a signed session, which may have ended."""
    assert isinstance(app.session_interface, Cookies)
    return "_user_id" in app.session_interface.content(app, cookies)


def current_account() -> Account | None:
    """Return the account that is signed in, if any. Raises Unavailable."""
    user = _signed_in()
    return user.account if user else None


def current_session() -> BrowserSession | None:
    """Return the session of this browser, if any. Raises Unavailable."""
    user = _signed_in()
    return user.session if user else None


def sign_in(account: Account) -> None:
    """Start a session of the account in this browser, and end the previous one. Raises
    InvalidRequest if the password was changed since the account was read."""
    before = _signed_in()
    with sources().store.write() as conn:
        if accounts.get(conn, account.id, lock=True).password != account.password:
            raise InvalidRequest(CHANGED)
        if before is not None:
            sessions.end(conn, before.secret)
        agent = request.headers.get("User-Agent", "")
        secret = sessions.begin(conn, account.id, browsers.in_words(agent))
        made = sessions.find(conn, secret)
    assert made is not None
    session.clear()  # carry nothing over from the previous session
    session.permanent = True
    login_user(SignedIn(account, made, secret))
    after_this_request(partial(browsers.remember, account.id))


def sign_out(*, everywhere: bool = False) -> None:
    """End the session of this browser, or all of its account. Raises Unavailable."""
    user = _signed_in()
    if user is not None:
        with sources().store.write() as conn:
            if everywhere:
                sessions.end_all(conn, user.account.id)
            else:
                sessions.end(conn, user.secret)
    forget()


def forget() -> None:
    logout_user()
    session.clear()


def keep_token(conn: Connection, bot: int, token: str) -> None:
    """Store a bot's new token for the next page about the bot in this browser."""
    user = _signed_in()
    assert user is not None
    tokens.keep_unread(conn, user.session.id, user.secret, bot, token)


def take_token(bot: int) -> str:
    """Return the bot's new token if this browser has not shown it yet, else ""."""
    user = _signed_in()
    if user is None:
        return ""
    with sources().read() as conn:
        if not tokens.has_unread(conn, user.session.id, bot):
            return ""
    with sources().store.write() as conn:
        return tokens.take_unread(conn, user.session.id, user.secret, bot) or ""


def within(address: str) -> str:
    """Return an address to redirect to if it is a page of this dashboard, else ""."""
    parts = urlsplit(address)
    here = address.startswith("/") and not address.startswith(("//", "/\\"))
    clean = address.isprintable() and "\\" not in address
    return address if here and clean and not parts.netloc and not parts.scheme else ""


def _signed_in() -> SignedIn | None:
    user = current_user._get_current_object()
    return user if isinstance(user, SignedIn) else None


def _load(secret: str) -> SignedIn | None:
    with sources().read() as conn:
        stored_session = sessions.find(conn, secret)
        account = accounts.get(conn, stored_session.account) if stored_session else None
    if stored_session is None or account is None:
        return None
    if sessions.is_stale(stored_session):
        # After the request, because the caller may hold the only database connection.
        after_this_request(partial(_touch, stored_session))
    return SignedIn(account, stored_session, secret)


def _touch(stored_session: BrowserSession, response: Response) -> Response:
    """Store that the session is in use; a failure does not affect the page."""
    try:
        with sources().store.write() as conn:
            sessions.touch(conn, stored_session.id)
    except Unavailable as error:
        log.warning("cannot store when a session was seen", error=str(error))
    return response

"""Who is signed in, kept in a signed cookie."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlsplit

from flask import Flask, session
from flask.sessions import SecureCookieSessionInterface
from flask_login import LoginManager, UserMixin, current_user, login_user, logout_user

from arena.errors import ArenaError, NotFound
from arena.store import accounts
from arena.store.accounts import Account
from dashboard.sources import sources

LASTS = timedelta(days=30)


class SignedIn(UserMixin):  # type: ignore[misc]
    """An account, as Flask-Login wants it."""

    def __init__(self, account: Account) -> None:
        self.account = account

    def get_id(self) -> str:
        """What the cookie says: it is void after a change of the password."""
        return f"{self.account.id} {self.account.stamp}"


class Cookies(SecureCookieSessionInterface):
    """Session cookies, for HTTPS only where the dashboard is reached by it."""

    def get_cookie_secure(self, app: Flask) -> bool:
        """Whether browsers shall send the cookie over HTTPS only."""
        from flask import request

        return request.is_secure


def register(app: Flask) -> None:
    """Teaches the application to know its users."""
    app.config.update(
        SESSION_COOKIE_NAME="arena_session",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=LASTS,
    )
    app.session_interface = Cookies()
    known = LoginManager()
    known.session_protection = None  # browsers change their addresses as people move about
    known.init_app(app)
    known.user_loader(_load)

    @app.context_processor
    def of_this_request() -> dict[str, object]:
        return {"account": _account_to_show()}


def current_account() -> Account | None:
    """The account that is signed in, if one is. Raises Unavailable."""
    account = getattr(current_user, "account", None)
    return account if isinstance(account, Account) else None


def sign_in(account: Account) -> None:
    """Makes it the account of this browser."""
    session.clear()  # what was known before, by whomever, is not carried over
    session.permanent = True
    login_user(SignedIn(account))


def sign_out() -> None:
    """Makes this browser nobody's."""
    logout_user()
    session.clear()


def within(address: str) -> str:
    """An address to go on to, if it is a page of this dashboard; else nothing."""
    parts = urlsplit(address)
    here = address.startswith("/") and not address.startswith(("//", "/\\"))
    clean = address.isprintable() and "\\" not in address
    return address if here and clean and not parts.netloc and not parts.scheme else ""


def _load(said: str) -> SignedIn | None:
    number, _, stamp = said.partition(" ")
    if not number.isdigit():
        return None
    try:
        with sources().read() as conn:
            account = accounts.get(conn, int(number))
    except NotFound:
        return None
    return SignedIn(account) if account.stamp == stamp else None


def _account_to_show() -> Account | None:
    """The same for the frame of pages, also of the one that says the database is away."""
    try:
        return current_account()
    except ArenaError:
        return None

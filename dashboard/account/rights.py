"""Permissions: decorators for views, put below the route, and the check of a current password."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from flask import abort, redirect, request, url_for
from werkzeug.exceptions import Unauthorized
from werkzeug.wrappers import Response

from arena.base import instant
from arena.store.registry import passwords
from arena.store.registry.accounts import Account
from arena.store.registry.audit_log import Actor
from dashboard.account import session
from dashboard.account.session import current_account

P = ParamSpec("P")
R = TypeVar("R")

FRESH_S = 600  # maximum age of the sign-in to an account without a password

SIGN_IN = "Sign in to do this."
ORGANISERS = (
    "Only organisers can do this. The arena's operator appoints them: "
    "`arena account organiser NAME`."
)
WRONG = "This is not your current password."
STALE = "This needs a sign-in within the last ten minutes. Sign out and in again first."


def signed_in(view: Callable[P, R]) -> Callable[P, R | Response]:
    """Require an account. Without one, ask to sign in and return to the page."""

    @wraps(view)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R | Response:
        return view(*args, **kwargs) if current_account() else _ask_to_sign_in()

    return guarded


def organiser(view: Callable[P, R]) -> Callable[P, R | Response]:
    @wraps(view)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R | Response:
        account = current_account()
        if account is None:
            return _ask_to_sign_in()
        if not account.organiser:
            abort(403, ORGANISERS)
        return view(*args, **kwargs)

    return guarded


def the_account() -> Account:
    """Return the account that is signed in. Raises Unauthorized."""
    account = current_account()
    if account is None:
        raise Unauthorized(SIGN_IN)
    return account


def acting() -> Actor | None:
    """Return the organiser of the current request for the audit log; others are not logged."""
    account = current_account()
    return Actor(account.name, "dashboard") if account and account.organiser else None


def doubt(account: Account) -> str:
    """Return an error if the current form is not from the owner, else "". Hashing a password is
    slow, so call it outside of transactions."""
    if account.password:
        right = passwords.is_right(request.form.get("old", ""), account.password)
        return "" if right else WRONG
    here = session.current_session()
    return "" if here and instant.now() - here.created <= FRESH_S else STALE


def _ask_to_sign_in() -> Response:
    """Redirect to the sign-in form, or refuse the request of a fragment or a program."""
    if request.path.startswith("/api/") or request.headers.get("HX-Request"):
        abort(401, SIGN_IN)
    back = request.full_path.rstrip("?") if request.method in ("GET", "HEAD") else None
    return redirect(url_for("account.sign_in", next=back), 303)

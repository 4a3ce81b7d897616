"""Whether it is the owner of an account who asks for what cannot be undone, and not just somebody
at their browser."""

from __future__ import annotations

from flask import request

from arena.base import instant
from arena.store.registry import passwords
from arena.store.registry.accounts import Account
from dashboard.account import session

FRESH_S = 600  # an account without a password: whoever signed in so lately
FIELD = "old"

WRONG = "This is not your current password."
STALE = "Sign out and in again first: this needs a sign-in within the last ten minutes."


def doubt(account: Account) -> str:
    """Why the present form is not taken for the owner's; "" if it is. Takes a hash, so outside of
    transactions."""
    if account.password:
        right = passwords.is_right(request.form.get(FIELD, ""), account.password)
        return "" if right else WRONG
    here = session.current_session()
    return "" if here and instant.now() - here.created <= FRESH_S else STALE

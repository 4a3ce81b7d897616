"""Check that a sensitive request comes from the owner of the account, not just from the browser."""

from __future__ import annotations

from flask import request

from arena.base import instant
from arena.store.registry import passwords
from arena.store.registry.accounts import Account
from dashboard.account import session

FRESH_S = 600  # maximum age of the sign-in to an account without a password
FIELD = "old"

WRONG = "This is not your current password."
STALE = "This needs a sign-in within the last ten minutes. Sign out and in again first."


def doubt(account: Account) -> str:
    """Return an error if the current form is not from the owner, else "".

    Hashing a password is slow, so call it outside of transactions.
    """
    if account.password:
        right = passwords.is_right(request.form.get(FIELD, ""), account.password)
        return "" if right else WRONG
    here = session.current_session()
    return "" if here and instant.now() - here.created <= FRESH_S else STALE

"""Unsubscribe links in notifications. They are signed, so they work without signing in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, get_args

from itsdangerous import BadSignature, URLSafeSerializer

from arena.store.registry.mail.addresses import Notice

SALT = "unsubscribe"


class Switch(NamedTuple):
    """The notifications of one kind to one account."""

    account: int
    notice: Notice


def signed(key: str, switch: Switch) -> str:
    """Return the token for a link."""
    return str(URLSafeSerializer(key, salt=SALT).dumps(list(switch)))


def read(keys: Sequence[str], text: str) -> Switch | None:
    """Return the content of a token signed with one of these keys, None if it is invalid."""
    try:
        account, notice = URLSafeSerializer(list(keys), salt=SALT).loads(text)
    except (BadSignature, ValueError, TypeError):
        return None
    known = isinstance(account, int) and notice in get_args(Notice)
    return Switch(account, notice) if known else None

"""The secret key, the previous one, which is still accepted during a rotation, and the tokens that
they sign in the links of e-mails, which work without signing in."""

from collections.abc import Sequence
from typing import NamedTuple, get_args

from flask import Flask, current_app
from itsdangerous import BadSignature, URLSafeSerializer

from arena.base.errors import NotFound
from arena.store.registry.mail.addresses import Notice

UNSUBSCRIBE, INVITATION = "unsubscribe", "invitation"  # salts


def register(app: Flask, key: str, old: str = "") -> None:
    """Sign with `key`, and also accept signatures by `old` if given."""
    app.secret_key = key
    if old:
        app.config["SECRET_KEY_FALLBACKS"] = [old]
    app.config["WTF_CSRF_SECRET_KEY"] = accepted(app)


def accepted(app: Flask | None = None) -> list[str]:
    """Return the keys of an application for itsdangerous, which signs with the last one."""
    of = app or current_app
    return [*(of.config.get("SECRET_KEY_FALLBACKS") or ()), str(of.secret_key)]


class Switch(NamedTuple):
    """The notifications of one kind to one account."""

    account: int
    notice: Notice


def signed(key: str, switch: Switch) -> str:
    return str(URLSafeSerializer(key, salt=UNSUBSCRIBE).dumps(list(switch)))


def read(keys: Sequence[str], text: str) -> Switch | None:
    """Return the content of a token signed with one of these keys, None if it is invalid."""
    try:
        account, notice = URLSafeSerializer(list(keys), salt=UNSUBSCRIBE).loads(text)
    except (BadSignature, ValueError, TypeError):
        return None
    known = isinstance(account, int) and notice in get_args(Notice)
    return Switch(account, notice) if known else None


def invitation_code(number: int, keys: Sequence[str]) -> str:
    """Return the code of an invitation, signed with the last of `keys`."""
    return str(URLSafeSerializer(list(keys), salt=INVITATION).dumps(number))


def invitation_number(code: str, keys: Sequence[str]) -> int:
    """Return the number of the invitation that a code was made for. Raises NotFound."""
    try:
        return int(URLSafeSerializer(list(keys), salt=INVITATION).loads(code))
    except BadSignature:
        raise NotFound("This invitation link is not complete. Copy the whole link.") from None

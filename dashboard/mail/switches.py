"""Links in notices that switch them off. They are signed, so nobody need sign in to follow one,
and good for nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, get_args

from itsdangerous import BadSignature, URLSafeSerializer

from arena.store.registry.mail.addresses import Notice

SALT = "unsubscribe"


class Switch(NamedTuple):
    """Whose notices of which kind."""

    account: int
    notice: Notice


def signed(key: str, switch: Switch) -> str:
    """What the link has in it."""
    return str(URLSafeSerializer(key, salt=SALT).dumps(list(switch)))


def read(keys: Sequence[str], text: str) -> Switch | None:
    """What a link signed with one of these keys is about; None where it is none of ours."""
    try:
        account, notice = URLSafeSerializer(list(keys), salt=SALT).loads(text)
    except (BadSignature, ValueError, TypeError):
        return None
    known = isinstance(account, int) and notice in get_args(Notice)
    return Switch(account, notice) if known else None

"""The codes in the links of invitations, which e-mails and the organiser's page show."""

from __future__ import annotations

from collections.abc import Sequence

from itsdangerous import BadSignature, URLSafeSerializer

from arena.base.errors import NotFound


def code(number: int, keys: Sequence[str]) -> str:
    """Return the code of an invitation, signed with the last of `keys`."""
    return str(_signer(keys).dumps(number))


def number_of(code: str, keys: Sequence[str]) -> int:
    """Return the number of the invitation that a code was made for. Raises NotFound."""
    try:
        return int(_signer(keys).loads(code))
    except BadSignature:
        raise NotFound("This invitation link is not complete. Copy the whole link.") from None


def _signer(keys: Sequence[str]) -> URLSafeSerializer:
    return URLSafeSerializer(list(keys), salt="invitation")

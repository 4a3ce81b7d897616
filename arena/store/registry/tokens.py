"""Tokens of bots and hosts, and other secrets that are stored as digests.

A token has 192 random bits, so its SHA-256 digest is enough: no slow hash is needed.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Iterator

AT_A_TIME = 500  # tokens per query


def new_token(prefix: str) -> str:
    """A random token: the prefix and 32 characters."""
    return prefix + secrets.token_urlsafe(24)


def digest(token: str) -> bytes:
    """The SHA-256 digest of a token, which is stored instead of it."""
    return hashlib.sha256(token.encode(errors="replace")).digest()


def by_digest(tokens: Collection[str]) -> Iterator[dict[bytes, str]]:
    """These tokens by digest, in portions for one query each."""
    listed = list(tokens)
    for first in range(0, len(listed), AT_A_TIME):
        yield {digest(token): token for token in listed[first : first + AT_A_TIME]}

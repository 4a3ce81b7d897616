"""Tokens of bots and hosts, and other secrets that are stored as digests.

A token has 192 random bits, so its SHA-256 digest is enough: no slow hash is needed.

A form that creates a bot's token redirects to a page that shows it once, so that reloading the page
does not send the form again. Meanwhile the token is stored masked, with a key derived from the
session's secret. That secret is in the browser's cookie and not in the database, so the database
alone does not reveal the token.
"""

import hashlib
import secrets
from collections.abc import Collection, Iterator

from sqlalchemy import Connection, delete, select

from arena.base import instant
from arena.store.dialects import upsert
from arena.store.tables import unread_tokens

AT_A_TIME = 500  # tokens per query
LASTS_S = 600  # until a new token can no longer be shown
SALT_BYTES = 16


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


# New tokens until they are shown


def keep_unread(
    conn: Connection, session: int, secret: str, bot: int, token: str, now: float | None = None
) -> None:
    """Stores a bot's token for the session with this secret, in place of an earlier one."""
    now = instant.now() if now is None else now
    conn.execute(delete(unread_tokens).where(unread_tokens.c.expires <= now))
    salt = secrets.token_bytes(SALT_BYTES)
    masked = salt + _xor(token.encode(), secret, salt)
    row = {"session": session, "bot": bot, "masked": masked}
    conn.execute(upsert(conn, unread_tokens).values(**row, expires=now + LASTS_S))


def has_unread(conn: Connection, session: int, bot: int) -> bool:
    """Whether a token of that bot is stored for this session."""
    rows = unread_tokens.c.session == session, unread_tokens.c.bot == bot
    return conn.scalar(select(unread_tokens.c.bot).where(*rows)) is not None


def take_unread(
    conn: Connection, session: int, secret: str, bot: int, now: float | None = None
) -> str | None:
    """Removes and returns the stored token of a bot, or returns None."""
    now = instant.now() if now is None else now
    rows = delete(unread_tokens).where(
        unread_tokens.c.session == session, unread_tokens.c.bot == bot
    )
    row = conn.execute(rows.returning(unread_tokens.c.masked, unread_tokens.c.expires)).first()
    if row is None or row.expires <= now:
        return None
    return _xor(row.masked[SALT_BYTES:], secret, row.masked[:SALT_BYTES]).decode()


def _xor(data: bytes, secret: str, salt: bytes) -> bytes:
    """A one-time pad: each salt is used once, and the secret has 256 random bits."""
    pad = hashlib.shake_256(b"unread token" + salt + secret.encode()).digest(len(data))
    return bytes(one ^ other for one, other in zip(data, pad, strict=True))

"""Sign-ins on the dashboard: one row per browser, so that each can be ended.

The browser keeps a random secret in its cookie. The database has only its SHA-256 digest, so a copy
of the database is not enough to sign in.
"""

import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select, update

from arena.base import instant
from arena.store.dialects import insert
from arena.store.registry.tokens import digest
from arena.store.tables import sessions

LASTS_S = 30 * 86_400
MOST = 20  # per account; a new one replaces the one that was seen longest ago
SEEN_EVERY_S = 600  # precision of `seen`: not every page should write to the database


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser that is signed in to an account. Times are Unix seconds."""

    id: int
    account: int
    browser: str  # for people, for example "Firefox on Linux"
    created: float
    seen: float
    expires: float


_ALL = select(*(sessions.c[name] for name in BrowserSession.__slots__))  # in this order


def begin(conn: Connection, account: int, browser: str, now: float | None = None) -> str:
    """Starts a session and returns the secret for its cookie, which is not stored. Also deletes
    expired sessions, and sessions of the account beyond `MOST`."""
    now = instant.now() if now is None else now
    conn.execute(delete(sessions).where(sessions.c.expires <= now))
    _make_room(conn, account)
    secret = secrets.token_urlsafe(32)
    row = {"account": account, "browser": browser, "created": now, "seen": now}
    conn.execute(insert(conn, sessions).values(**row, digest=digest(secret), expires=now + LASTS_S))
    return secret


def find(conn: Connection, secret: str, now: float | None = None) -> BrowserSession | None:
    """The session with this secret, unless it was ended or has expired."""
    now = instant.now() if now is None else now
    row = conn.execute(_ALL.where(sessions.c.digest == digest(secret))).first()
    return None if row is None or row.expires <= now else BrowserSession(*row)


def of_account(conn: Connection, account: int, now: float | None = None) -> list[BrowserSession]:
    """The sessions of an account, most recently seen first."""
    now = instant.now() if now is None else now
    query = _ALL.where(sessions.c.account == account, sessions.c.expires > now)
    rows = conn.execute(query.order_by(sessions.c.seen.desc(), sessions.c.id.desc()))
    return [BrowserSession(*row) for row in rows]


def is_stale(session: BrowserSession, now: float | None = None) -> bool:
    """Whether it is time to update `seen`."""
    return (instant.now() if now is None else now) - session.seen >= SEEN_EVERY_S


def touch(conn: Connection, session: int, now: float | None = None) -> None:
    """Stores that the session was seen just now."""
    seen = instant.now() if now is None else now
    conn.execute(update(sessions).where(sessions.c.id == session).values(seen=seen))


def end(conn: Connection, secret: str) -> None:
    """Ends a session, if there is one."""
    conn.execute(delete(sessions).where(sessions.c.digest == digest(secret)))


def end_all(conn: Connection, account: int) -> None:
    conn.execute(delete(sessions).where(sessions.c.account == account))


def _make_room(conn: Connection, account: int) -> None:
    newest = select(sessions.c.id).where(sessions.c.account == account)
    newest = newest.order_by(sessions.c.seen.desc(), sessions.c.id.desc()).limit(MOST - 1)
    others = sessions.c.account == account, sessions.c.id.not_in(newest)
    conn.execute(delete(sessions).where(*others))
